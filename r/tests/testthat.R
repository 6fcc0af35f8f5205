library(testthat)
library(rfvm)

test_check("rfvm")
