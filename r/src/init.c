/* R looks for this name when it loads the package; the functions are registered in rust/src/register.rs. */
#include <Rinternals.h>

void R_init_rfvm_extendr(void *dll);

void R_init_rfvm(void *dll) { R_init_rfvm_extendr(dll); }
