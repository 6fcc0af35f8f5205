//! What R may call.

use extendr_api::prelude::*;

use crate::{describe, evaluate, files, fit, job, predict, report, simulate, target};

extendr_module! {
    mod rfvm;
    use describe;
    use evaluate;
    use files;
    use fit;
    use job;
    use predict;
    use report;
    use simulate;
    use target;
}
