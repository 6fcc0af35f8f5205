"""Generated studies and files by path."""

import numpy as np
import pytest

from rfvm import datasets


def test_the_generator_knows_the_truth():
    study = datasets.make_fat_classification(n_samples=400, n_features=100, n_informative=3, effect=2.0)
    assert study.data.shape == (400, 100)
    assert study.data.flags.f_contiguous
    assert study.target_names.tolist() == ["control", "case"]
    gap = study.data[study.target == 1].mean(axis=0) - study.data[study.target == 0].mean(axis=0)
    assert np.flatnonzero(abs(gap) > 1.0).tolist() == study.truth.tolist()
    again = datasets.make_fat_classification(n_samples=400, n_features=100, n_informative=3, effect=2.0)
    assert np.array_equal(study.data, again.data)
    other = datasets.make_fat_classification(n_samples=400, n_features=100, random_state=2)
    assert not np.array_equal(study.data, other.data)


def test_tables_come_back(frame, tmp_path):
    table = frame.data.assign(state=frame.target_names[frame.target], ward=np.arange(60) // 2)
    table.to_csv(tmp_path / "study.csv", index_label="sample")
    study = datasets.load_table(tmp_path / "study.csv", target="state", group="ward", as_frame=True)
    assert study.data.equals(frame.data)
    assert study.target_names.tolist() == ["control", "case"]
    assert np.array_equal(study.target_names[study.target], table["state"])
    assert study.groups.tolist() == (np.arange(60) // 2).tolist()
    number = datasets.load_table(tmp_path / "study.csv", target="ward", regression=True, samples="rows")
    assert number.target.tolist() == (np.arange(60) // 2).tolist()


def test_a_series_of_geo(tmp_path):
    text = (
        '!Series_title\t"A study"\n!Sample_title\t"a"\t"b"\t"c"\t"d"\n'
        '!Sample_geo_accession\t"GSM1"\t"GSM2"\t"GSM3"\t"GSM4"\n'
        '!Sample_characteristics_ch1\t"state: ill"\t"state: well"\t"state: ill"\t"state: well"\n'
        '!series_matrix_table_begin\n"ID_REF"\t"GSM1"\t"GSM2"\t"GSM3"\t"GSM4"\n'
        '"p1"\t1.0\t2.0\t3.0\t4.0\n"p2"\t5.0\t6.0\t7.0\t8.0\n!series_matrix_table_end\n'
    )
    (tmp_path / "GSE1_series_matrix.txt").write_text(text)
    study = datasets.load_geo(tmp_path / "GSE1_series_matrix.txt", target="state")
    assert study.data.tolist() == [[1.0, 5.0], [2.0, 6.0], [3.0, 7.0], [4.0, 8.0]]
    assert study.target_names[study.target].tolist() == ["ill", "well", "ill", "well"]


def test_wrong_paths_and_words(tmp_path):
    with pytest.raises(FileNotFoundError):
        datasets.load_table(tmp_path / "nothing.csv", target="y")
    with pytest.raises(ValueError, match="it must be rows, columns or None"):
        datasets.load_table(tmp_path / "nothing.csv", target="y", samples="sideways")
