"""Which ops of the files are not compared, and why."""

LINEAR_ALGEBRA = """
cholesky cholesky_ex cond det eig eigh eigvals eigvalsh householder_product inv inv_ex lstsq_grad_oriented lu lu_factor
lu_factor_ex lu_solve matrix_exp matrix_power pinv pinv_hermitian pinv_singular qr slogdet solve solve_ex
solve_triangular svd svdvals tensorinv tensorsolve
"""

OUT_OF_SCOPE = {
    "random": {"nn_functional_rrelu (random)"},
    "linear algebra, to come": {
        *LINEAR_ALGEBRA.split(),
        "matrix_norm (by singular values)",
        "norm (by singular values)",
    },
}
