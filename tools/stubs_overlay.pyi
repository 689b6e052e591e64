"""What the binary cannot tell: merged into the generated stub by tools/stubs.py.

Imports are taken over; a function, method or class base written here replaces the generated one of the same name
(its docstring stays). Overloads stand one under the other. A special method is added where PyO3 does not show it;
any other name that the extension lacks is an error.
"""

from tenferro._typing import TensorLike
