//! Readers for the data files the Relevance Feature and Vector Machine takes, one module per format.
//!
//! Every reader ends in the same [`Matrix`]: dense `f64` values, stored feature by feature. A file that is
//! truncated, damaged or of another kind gives an [`IoError`] whose message is one sentence naming the file, the
//! place in it and what is wrong there; no input makes a reader panic, and no reader allocates more than the bytes
//! of the file justify, or than the caller allows ([`ReadOptions::max_memory`]).
//!
//! * [`delimited`]: text tables (CSV, TSV, ...), plain or compressed.
//! * [`gct`] and [`cls`]: the tables and class files of GenePattern and GSEA.
//! * [`geo`]: GEO series matrices.
//! * [`svmlight`]: the sparse text of LIBSVM and SVMlight.
//! * [`mat`] and [`mat73`]: MATLAB files (`.mat`), v5 to v7 and v7.3.
//! * [`npz`]: NumPy archives and arrays (`.npz`, `.npy`).
//! * [`h5ad`]: AnnData files.
//! * [`parquet`] and [`feather`]: files of typed columns.
//! * [`xlsx`]: Excel workbooks.
//! * [`plink`]: PLINK genotypes (`.bed`, `.bim`, `.fam`).
//! * [`dorothea`]: the sparse index files and label files of the NIPS 2003 feature selection challenge.
//!
//! [`load_dataset`] goes from files to a data set; `examples/evaluate_table.rs` reads a table and cross-validates on it.
//!
//! # Cargo features
//!
//! Formats whose decoders are large can be left out of a build; all are in by default. A file of a format that was left
//! out is still told by its content, and refused in one sentence.
//!
//! * `hdf5`: AnnData files, and MATLAB files of version 7.3.
//! * `parquet`: Parquet files.
//! * `feather`: Feather files.
//! * `excel`: Excel workbooks.
//! * `zstd`: whatever is packed with zstd: text tables, columns of Parquet and Feather files.

// What several formats share is not all used where some of them are left out.
#![cfg_attr(not(feature = "default"), allow(dead_code))]

mod arrays;
mod assemble;
mod batch;
pub mod cls;
#[cfg(any(feature = "feather", feature = "parquet"))]
mod columns;
mod common;
pub mod delimited;
pub mod dorothea;
pub mod error;
mod examine;
pub mod facts;
#[cfg(feature = "feather")]
pub mod feather;
mod features;
#[cfg(feature = "feather")]
mod flatbuffer;
pub mod gct;
pub mod geo;
#[cfg(feature = "hdf5")]
pub mod h5ad;
#[cfg(feature = "hdf5")]
mod hdf;
mod labels;
pub mod mat;
#[cfg(feature = "hdf5")]
pub mod mat73;
mod matrix;
mod npy;
pub mod npz;
#[cfg(feature = "parquet")]
pub mod parquet;
mod pipe;
pub mod plink;
mod positive;
mod read;
mod room;
mod sniff;
mod source;
#[cfg(feature = "hdf5")]
mod sparse;
mod storage;
pub mod svmlight;
mod target;
mod text;
mod unused;
#[cfg(feature = "excel")]
pub mod xlsx;
mod zip;

pub use assemble::{Loaded, Opened, load_dataset, load_labelled, load_table, open_tables};
pub use batch::is_batch_name;
pub use cls::read_cls;
pub use delimited::read_delimited;
pub use dorothea::{read_dorothea, read_labels, read_sparse_indices};
pub use error::IoError;
pub use facts::{FactFiles, read_annotation, read_prices, read_sets};
#[cfg(feature = "feather")]
pub use feather::read_feather;
pub use features::FeatureChoice;
pub use gct::read_gct;
pub use geo::read_geo;
#[cfg(feature = "hdf5")]
pub use h5ad::read_h5ad;
pub use mat::{MatArray, MatFile, MatSkipped, MatText, read_mat, read_mat_file, read_mat_source};
#[cfg(feature = "hdf5")]
pub use mat73::read_mat73;
pub use matrix::Matrix;
pub use npz::{NpzFile, read_npy_source, read_npz_source};
#[cfg(feature = "parquet")]
pub use parquet::read_parquet;
pub use pipe::tell_of_waiting;
pub use plink::read_plink;
pub use positive::positive_class;
pub use read::{read, read_tables};
pub use sniff::{Format, sniff};
pub use source::{Annotation, BeyondLimit, FeatureTexts, Orientation, ReadOptions, Source};
pub use svmlight::read_svmlight;
pub use target::TargetChoice;
#[cfg(feature = "excel")]
pub use xlsx::read_xlsx;
