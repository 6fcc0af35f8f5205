-- A study only grows: triggers refuse every change and every removal. What is current is the newest row.
CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    kind TEXT NOT NULL CHECK (kind IN ('init', 'wave', 'fit', 'advice')),
    version TEXT NOT NULL,
    -- The last wave that was known, and the hash of all that was known with it.
    wave INTEGER NOT NULL,
    data_hash TEXT NOT NULL,
    parameters TEXT NOT NULL,
    summary TEXT NOT NULL
) STRICT;

-- One row: what the study is about.
CREATE TABLE study (
    event INTEGER NOT NULL UNIQUE REFERENCES event (id),
    outcome TEXT NOT NULL,
    positive TEXT,
    site TEXT,
    grouping TEXT
) STRICT;

CREATE TABLE panel (
    event INTEGER NOT NULL REFERENCES event (id),
    name TEXT NOT NULL,
    cost REAL NOT NULL,
    minutes REAL NOT NULL,
    burden REAL NOT NULL,
    PRIMARY KEY (name, event)
) STRICT;

CREATE TABLE test (
    event INTEGER NOT NULL REFERENCES event (id),
    name TEXT NOT NULL,
    cost REAL NOT NULL,
    minutes REAL NOT NULL,
    burden REAL NOT NULL,
    panel TEXT,
    PRIMARY KEY (name, event)
) STRICT;

CREATE TABLE decision (
    event INTEGER NOT NULL REFERENCES event (id),
    test TEXT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('free', 'keep', 'never', 'retired')),
    PRIMARY KEY (test, event)
) STRICT;

CREATE TABLE wave (
    number INTEGER PRIMARY KEY,
    event INTEGER NOT NULL UNIQUE REFERENCES event (id),
    file TEXT NOT NULL,
    file_hash TEXT NOT NULL UNIQUE,
    subjects INTEGER NOT NULL
) STRICT;

-- The rows of a wave in their order; a subject's first row is its arrival, a later one completes or corrects it.
CREATE TABLE row (
    wave INTEGER NOT NULL REFERENCES wave (number),
    position INTEGER NOT NULL,
    subject TEXT NOT NULL,
    PRIMARY KEY (wave, position),
    UNIQUE (subject, wave)
) STRICT;

-- A test's values over the rows of a wave: 8 bytes each, little-endian, NaN where the wave says nothing.
CREATE TABLE measurement (
    wave INTEGER NOT NULL REFERENCES wave (number),
    test TEXT NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (wave, test)
) STRICT;

-- The outcome, the site, the group and every other column of words, over the rows of a wave, as a JSON list.
CREATE TABLE attribute (
    wave INTEGER NOT NULL REFERENCES wave (number),
    name TEXT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (wave, name)
) STRICT;

CREATE TABLE fit (
    event INTEGER NOT NULL UNIQUE REFERENCES event (id),
    model TEXT NOT NULL,
    alternatives TEXT NOT NULL,
    detail TEXT NOT NULL
) STRICT;

CREATE TABLE advice (
    event INTEGER NOT NULL UNIQUE REFERENCES event (id),
    detail TEXT NOT NULL
) STRICT;

-- The chain of hashes (chain.rs), one link an event.
CREATE TABLE seal (
    event INTEGER PRIMARY KEY REFERENCES event (id),
    hash TEXT NOT NULL
) STRICT;
