demo test check bench docs parity wheel stubs fmt:
	python3 x.py $@
.PHONY: demo test check bench docs parity wheel stubs fmt
