"""Homonyms of a knowledge base: three tables out of names and entities.

- identifier homonyms: entities with the same names in the same order (by kind, then name), foreign entity and
  attribute; the first of them stands for all.
- name homonyms: one name on several entities with the same foreign entity.
- foreign-name homonyms: one name on entities with several foreign entities.

Names are compared as they are written.
"""

from workflow_scripts.belb.kb_names import number_first

WITH_ENTITY = """names LEFT JOIN entities USING (identifier)"""


def make_homonyms(database):
    """Make the tables identifier_homonyms (identifier, representative), name_homonyms and foreign_name_homonyms (name,
    foreign_identifier, identifier)."""
    _make_identifier_homonyms(database)
    _make_name_homonyms(database)


def _make_identifier_homonyms(database):
    # Lists of all names would not fit in memory: numbers that equal sets of names share come first, lists only for
    # entities that agree in them.
    database.execute(
        """CREATE TABLE alike AS SELECT identifier FROM (
            SELECT identifier, foreign_identifier, attribute, count(*) OVER (
                PARTITION BY foreign_identifier, attribute, names, folded, summed
            ) AS entities
            FROM (
                SELECT identifier, count(*) AS names, bit_xor(hash(name)) AS folded,
                sum(hash(name) % 4294967296) AS summed FROM names GROUP BY identifier
            ) LEFT JOIN entities USING (identifier)
        ) WHERE entities > 1"""
    )
    database.execute(
        f"""CREATE TABLE identifier_homonyms AS
        WITH lists AS (
            SELECT identifier, list(name ORDER BY kind, name) AS names FROM names
            SEMI JOIN alike USING (identifier) GROUP BY identifier
        ), ranked AS (
            SELECT identifier, first_value(identifier) OVER (
                PARTITION BY foreign_identifier, attribute, names ORDER BY {number_first("identifier")}
            ) AS representative
            FROM lists LEFT JOIN entities USING (identifier)
        ) FROM ranked WHERE identifier <> representative"""
    )
    database.execute("DROP TABLE alike")


def _make_name_homonyms(database):
    database.execute(
        f"""CREATE TABLE uses AS SELECT name, foreign_identifier, count(*) AS entities FROM {WITH_ENTITY}
        GROUP BY name, foreign_identifier"""
    )
    database.execute(
        f"""CREATE TABLE name_homonyms AS SELECT n.name, n.foreign_identifier, n.identifier
        FROM ({WITH_ENTITY}) n SEMI JOIN (FROM uses WHERE entities > 1) u
        ON n.name = u.name AND n.foreign_identifier IS NOT DISTINCT FROM u.foreign_identifier"""
    )
    database.execute(
        f"""CREATE TABLE foreign_name_homonyms AS SELECT name, foreign_identifier, identifier FROM {WITH_ENTITY}
        SEMI JOIN (
            SELECT name FROM uses WHERE foreign_identifier IS NOT NULL GROUP BY name HAVING count(*) > 1
        ) USING (name) WHERE foreign_identifier IS NOT NULL"""
    )
    database.execute("DROP TABLE uses")
