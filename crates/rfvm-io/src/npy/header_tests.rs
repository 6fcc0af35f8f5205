//! Headers, sound and damaged.

use super::*;

#[test]
fn headers() {
    let header =
        parse_header("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   \n").unwrap();
    assert_eq!(
        (header.dtype.to_string().as_str(), header.order),
        ("<f8", Order::C)
    );
    assert_eq!(header.shape, [3, 4]);
    assert_eq!(header.data_length(), Ok(96));
    let header = parse_header("{\"shape\":(7L,),'fortran_order':True,'descr':'|S3'}").unwrap();
    assert_eq!(
        (header.shape.as_slice(), header.order),
        (&[7][..], Order::Fortran)
    );
    assert_eq!(
        parse_header("{'shape': (), 'descr': '<U5', 'fortran_order': False}")
            .unwrap()
            .count(),
        Some(1)
    );
}

#[test]
fn bad_headers() {
    for (text, part) in [
        ("", "begin"),
        ("{", "dictionary"),
        ("{}", "lacks"),
        ("{'descr': '<f8', 'fortran_order': False}", "lacks"),
        (
            "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,)}",
            "structured",
        ),
        (
            "{'descr': '<q9', 'fortran_order': False, 'shape': (3,)}",
            "not known",
        ),
        (
            "{'descr': '<f8', 'fortran_order': None, 'shape': (3,)}",
            "neither",
        ),
        (
            "{'descr': '<f8', 'fortran_order': False, 'shape': (-3,)}",
            "tuple",
        ),
        (
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3 4)}",
            "tuple",
        ),
        (
            "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}",
            "tuple",
        ),
        (
            "{'descr': '<f8' 'fortran_order': False, 'shape': (3,)}",
            "dictionary",
        ),
        ("{'other': 3}", "not known"),
    ] {
        let what = parse_header(text).unwrap_err();
        assert!(what.contains(part), "{text}: {what}");
    }
    let large = "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}";
    assert!(
        parse_header(large)
            .unwrap()
            .data_length()
            .unwrap_err()
            .contains("large")
    );
}
