"""The page shows what the result file has, and the file what may go to print."""

import json

from claims import BEGIN, END, PAGE, RESULTS, table


def test_the_page_has_the_table_of_the_results():
    found = json.loads(RESULTS.read_text())
    page = PAGE.read_text()
    assert page.split(BEGIN)[1].split(END)[0].strip() == table(found)


def test_noise_is_called_noise():
    rows = json.loads(RESULTS.read_text())["parts"]["noise"]
    assert len(rows) == 5 and all(row["holds"] for row in rows)
