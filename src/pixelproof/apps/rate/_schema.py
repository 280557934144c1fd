"""Tables of the database of a study."""

SCHEMA = """
CREATE TABLE raters (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    key TEXT NOT NULL UNIQUE,                -- hash of the token
    state TEXT NOT NULL DEFAULT 'active',    -- active; closed: no more votes; excluded: votes do not count either
    invited REAL NOT NULL,
    trained REAL                             -- when the training page was left
);
CREATE TABLE presentations (
    id INTEGER PRIMARY KEY,
    rater INTEGER NOT NULL REFERENCES raters (id),
    item TEXT NOT NULL,
    role TEXT NOT NULL,                      -- rated, repeat, gold
    swapped INTEGER NOT NULL,                -- whether the second image of a pair is shown first
    lease REAL NOT NULL,                     -- until then, nobody else gets the item in this rater's place
    shown REAL,
    done INTEGER NOT NULL DEFAULT 0          -- 1: all questions are answered; 2: given up, somebody else has it
);
CREATE UNIQUE INDEX once ON presentations (rater, item, role);
CREATE INDEX progress ON presentations (role, done, item);
CREATE TABLE tally (
    id INTEGER PRIMARY KEY,
    item TEXT NOT NULL UNIQUE,
    votes INTEGER NOT NULL                   -- raters who have rated it, without those who are excluded
);
CREATE TABLE votes (
    id INTEGER PRIMARY KEY,
    presentation INTEGER NOT NULL REFERENCES presentations (id),
    question TEXT NOT NULL,
    attempt INTEGER NOT NULL,                -- 0, and one more after each undo: a request that is sent again is known
    value INTEGER NOT NULL,
    seconds REAL NOT NULL,                   -- between showing and answering
    time REAL NOT NULL,
    withdrawn INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX sent ON votes (presentation, question, attempt);
CREATE UNIQUE INDEX counted ON votes (presentation, question) WHERE withdrawn = 0;
CREATE TABLE content (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,                      -- item, question
    name TEXT NOT NULL,
    digest TEXT NOT NULL
);
CREATE UNIQUE INDEX named ON content (kind, name);
"""
"""Rows are never deleted, except presentations without any vote."""
