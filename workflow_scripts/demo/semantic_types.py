"""Semantic types of the release: public names, identifiers, tree numbers and groups of the UMLS Semantic Network.

Table A.4 lists the 51 types that reach the paper's corpus; the others here are filtered out on the way
(excluded types, other groups) and stand in the release to show it.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class SemanticType:
    """One row of the Semantic Network, with the patterns by which this release builds names of the type.

    `patterns`: "{s}" is a stem, "{a}" its adjective.
    """

    tui: str
    name: str
    tree: str
    group: str
    patterns: tuple = ()


GROUP_NAMES = {
    "ANAT": "Anatomy",
    "CHEM": "Chemicals & Drugs",
    "CONC": "Concepts & Ideas",
    "DEVI": "Devices",
    "DISO": "Disorders",
    "LIVB": "Living Beings",
    "PHEN": "Phenomena",
    "PHYS": "Physiology",
    "PROC": "Procedures",
}

_ROWS = """
T017|Anatomical Structure|A1.2|ANAT|{a} structure;{s} arch;structure of {s}
T018|Embryonic Structure|A1.2.1|ANAT|{a} bud;embryonic {s}
T021|Fully Formed Anatomical Structure|A1.2.3|ANAT|{a} body;{s} formation
T022|Body System|A2.1.4.1|ANAT|{a} system;{s} tract
T023|Body Part, Organ, or Organ Component|A1.2.3.1|ANAT|{a} gland;{a} artery;{s} lobe;{a} muscle;{s}ula;{a} bone
T024|Tissue|A1.2.3.2|ANAT|{a} tissue;{a} membrane;{s}oderm;{s} epithelium
T025|Cell|A1.2.3.3|ANAT|{s}ocyte;{a} cell
T026|Cell Component|A1.2.3.4|ANAT|{s}osome;{a} organelle
T029|Body Location or Region|A2.1.5.2|ANAT|{a} region;{s} fossa
T030|Body Space or Junction|A2.1.5.1|ANAT|{a} recess;{s} sinus;{a} junction
T031|Body Substance|A1.4.2|ANAT|{a} fluid;{s} secretion
T103|Chemical|A1.4.1|CHEM|{s} compound;{s}ide
T104|Chemical Viewed Structurally|A1.4.1.2|CHEM|{s} ring compound
T109|Organic Chemical|A1.4.1.2.1|CHEM|{s}anol;{s}idine;{s} acetate
T114|Nucleic Acid, Nucleoside, or Nucleotide|A1.4.1.2.1.5|CHEM|{s}osine;{s} nucleotide
T116|Amino Acid, Peptide, or Protein|A1.4.1.2.1.7|CHEM|{s}globin;{s} protein;{s} peptide
T120|Chemical Viewed Functionally|A1.4.1.1|CHEM|{s} buffer agent
T121|Pharmacologic Substance|A1.4.1.1.1|CHEM|{s}azole;{s}olol;{s}tidine;{s} sulfate
T122|Biomedical or Dental Material|A1.4.1.1.6|CHEM|{s} cement
T123|Biologically Active Substance|A1.4.1.1.3|CHEM|{s}kinin;{s} factor
T125|Hormone|A1.4.1.1.3.2|CHEM|{s}tropin;{s} hormone
T126|Enzyme|A1.4.1.1.3.3|CHEM|{s}ase;{s} reductase
T127|Vitamin|A1.4.1.1.3.4|CHEM|vitamin {s};{s}flavin
T129|Immunologic Factor|A1.4.1.1.3.5|CHEM|{s} antibody;{s} vaccine
T130|Indicator, Reagent, or Diagnostic Aid|A1.4.1.1.4|CHEM|{s} dye;{s} reagent
T131|Hazardous or Poisonous Substance|A1.4.1.1.5|CHEM|{s} toxin;{s} venom
T192|Receptor|A1.4.1.1.3.6|CHEM|{s} receptor
T195|Antibiotic|A1.4.1.1.1.1|CHEM|{s}mycin;{s}cillin
T196|Element, Ion, or Isotope|A1.4.1.2.3|CHEM|{s}ium ion;{s} isotope
T197|Inorganic Chemical|A1.4.1.2.2|CHEM|{s} chloride;{s} oxide
T200|Clinical Drug|A1.3.3|CHEM|{s} oral tablet;{s} capsule;{s} injection
T074|Medical Device|A1.3.1|DEVI|{s} catheter;{s} stent;{s} implant;{s}scope
T075|Research Device|A1.3.2|DEVI|{s} analyser;{s} microarray
T203|Drug Delivery Device|A1.3.1.1|DEVI|{s} pump;{s} inhaler
T019|Congenital Abnormality|A1.2.2.1|DISO|congenital {s} defect;{s}schisis
T020|Acquired Abnormality|A1.2.2.2|DISO|{s} contracture;{s} stricture
T033|Finding|A2.2|DISO|{s} sign;abnormal {s} pattern;{s} reaction
T037|Injury or Poisoning|B2.3|DISO|{s} fracture;{s} burn;{s} injury
T046|Pathologic Function|B2.2.1.2|DISO|{s} necrosis;{s} oedema;{s} degeneration
T047|Disease or Syndrome|B2.2.1.2.1|DISO|{s}itis;{s} disease;{s} syndrome;{s}opathy;{s}osis
T048|Mental or Behavioral Dysfunction|B2.2.1.2.1.1|DISO|{s} phobia;{s} behaviour disorder
T049|Cell or Molecular Dysfunction|B2.2.1.2.2|DISO|{s} dysplasia;{s} aberration
T050|Experimental Model of Disease|B2.2.1.2.3|DISO|{s} model disease
T184|Sign or Symptom|A2.2.2|DISO|{s}algia;{a} tremor;{s} numbness
T190|Anatomical Abnormality|A1.2.2|DISO|{s} nodule;{s} deformity
T191|Neoplastic Process|B2.2.1.2.1.2|DISO|{s}oma;{a} carcinoma;{s} tumour
T032|Organism Attribute|A2.3|PHYS|{s} body index;{s} status
T039|Physiologic Function|B2.2.1.1|PHYS|{s} clearance;{s} secretion rate
T040|Organism Function|B2.2.1.1.1|PHYS|{s} reflex;{s} gait
T041|Mental Process|B2.2.1.1.1.1|PHYS|{s} recall;{s} attention span
T042|Organ or Tissue Function|B2.2.1.1.2|PHYS|{a} output;{a} perfusion
T043|Cell Function|B2.2.1.1.3|PHYS|{s} cell adhesion
T044|Molecular Function|B2.2.1.1.4|PHYS|{s} binding
T045|Genetic Function|B2.2.1.1.4.1|PHYS|{s} splicing
T201|Clinical Attribute|A2.3.1|PHYS|{s} score;{a} pressure;{s} titre
T058|Health Care Activity|B1.3.1|PROC|{s} rounds;{s} triage
T059|Laboratory Procedure|B1.3.1.1|PROC|{s} assay;{s} measurement
T060|Diagnostic Procedure|B1.3.1.2|PROC|{s}graphy;{s} scan;{s}oscopy
T061|Therapeutic or Preventive Procedure|B1.3.1.3|PROC|{s}ectomy;{s}plasty;{s} therapy;{s} ablation;{s} graft
T062|Research Activity|B1.3.2|PROC|{s} trial protocol
T063|Molecular Biology Research Technique|B1.3.2.1|PROC|{s} blotting;{s} sequencing
T065|Educational Activity|B1.3.3|PROC|{s} training course
T079|Temporal Concept|A2.1.1|CONC|{s} phase period
T080|Qualitative Concept|A2.1.2|CONC|{s} grade value
T081|Quantitative Concept|A2.1.3|CONC|{s} ratio value
T082|Spatial Concept|A2.1.5|CONC|{s} plane level
T089|Regulation or Law|A2.4.2|CONC|{s} statute
T007|Bacterium|A1.1.2|LIVB|{s}ella bacterium;{s}coccus
T034|Laboratory or Test Result|A2.2.1|PHEN|{s} test result
"""


def _read(rows):
    types = {}
    for row in rows.strip().split("\n"):
        tui, name, tree, group, patterns = row.split("|")
        types[tui] = SemanticType(tui, name, tree, group, tuple(patterns.split(";")))
    return types


TYPES = _read(_ROWS)
EXCLUDED = ("T018", "T025", "T026", "T043", "T044", "T045", "T050", "T089", "T104", "T120", "T122")
KEPT_GROUPS = ("ANAT", "CHEM", "DEVI", "DISO", "PHYS", "PROC")


def kept(tui):
    """Whether concepts of the type pass the type filters of the paper (section 3)."""
    return TYPES[tui].group in KEPT_GROUPS and tui not in EXCLUDED


def semantic_group_lines():
    """Lines of the SemGroups file: SG|name|TUI|STY, sorted as NLM sorts them."""
    ordered = sorted(TYPES.values(), key=lambda kind: (kind.group, kind.name))
    return [f"{kind.group}|{GROUP_NAMES[kind.group]}|{kind.tui}|{kind.name}" for kind in ordered]
