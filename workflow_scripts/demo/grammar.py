"""How facts are told: clauses with two mentions {A} and {B}, and what stands around them.

Text is written as tokens joined by one space. {adv} is an adverb or nothing, {usual} an adjective; {n}, {m},
{pct} and {frac} are numbers. Markup stands as <i>, <sub>, <sup> and their ends.
"""

from workflow_scripts.demo.relations import RELATIONS

_SHORT = {
    "fs": "finding_site_of", "am": "associated_morphology_of", "mo": "method_of", "it": "interprets",
    "dps": "direct_procedure_site_of", "ca": "causative_agent_of", "ai": "active_ingredient_of",
    "io": "interpretation_of", "co": "component_of", "ips": "indirect_procedure_site_of",
    "dm": "direct_morphology_of", "cs": "cause_of", "ds": "direct_substance_of", "ud": "uses_device",
    "fo": "focus_of", "dd": "direct_device_of", "ps": "procedure_site_of", "us": "uses_substance",
    "af": "associated_finding_of", "oa": "occurs_after", "im": "is_modification_of",
}  # fmt: skip

# clause | relations that it may tell; + : A is the head, - : A is the tail. Every clause serves two relations or more.
_TELLING = """
{A} {adv}arose from {B}|fs- cs- im+
{A} was {adv}localised to {B}|fs- ps- dps-
{A} was {adv}confined to {B}|fs- ips-
{A} involving {B} was {adv}documented|fs- am-
{B} was the {usual} seat of {A}|fs- dps-
{B} {adv}harboured {A}|fs- am+
{A} was {adv}marked by {B}|am- af-
{A} was {adv}characterised by {B}|am- io- af-
{B} was the {usual} hallmark of {A}|am- af-
{A} {adv}displayed {B} on microscopy|am- io-
{A} was {adv}attributed to {B}|ca- cs-
{A} {adv}provoked {B}|ca+ cs+
{A} was {adv}induced by {B}|ca- cs-
a causal role of {B} in {A} was {adv}suspected|ca- cs-
{A} {adv}resulted in {B}|cs+ ca+
{A} {adv}developed after {B}|oa+ ca-
{A} was {adv}followed by {B}|oa- mo+
{A} {adv}emerged in the wake of {B}|oa+ cs-
{B} {adv}preceded {A} by several months|oa+ mo-
{A} was a {usual} sequel to {B}|oa+ ca-
a sequel of {A} was {adv}recognised as {B}|oa- ca+
{A} was {adv}read as a measure of {B}|it+ io+
{A} {adv}reflected {B}|it+ io+
{A} was {adv}taken to indicate {B}|it+ io+ af+
{B} was {adv}graded by means of {A}|it+ co-
{A} was {adv}interpreted as {B}|io+ it+
{A} {adv}supported a reading of {B}|io+ it+
{A} {adv}accompanied {B}|af+ am+
{A} was {adv}noted on examination for {B}|af+ io+
{A} was {adv}performed with {B}|ud+ us+ mo-
{A} {adv}required {B}|ud+ us+
{A} {adv}relied on {B}|ud+ mo-
use of {B} during {A} was {adv}preferred|ud+ us+
{A} was guided by means of {B}|ud+ mo-
{A} was {adv}carried out under {B}|us+ mo-
{A} was {adv}removed during {B}|dd+ dm+
{A} was {adv}replaced at {B}|dd+ ds+
{A} was {adv}delivered by {B}|ds+ dd+
{A} was {adv}given as part of {B}|ds+ us-
{A} was {adv}injected in the course of {B}|ds+ us-
{A} was {adv}positioned at {B}|dd+ ud-
{A} was {adv}targeted by {B}|dm+ dps+ fo+
{A} was the {usual} indication for {B}|fo+ dm+
{A} was {adv}managed by {B}|fo+ dm+
{B} was {adv}scheduled because of {A}|fo+ dm+
{B} was {adv}aimed at {A}|fo+ dps+
{A} was {adv}carried out on {B}|dps- ps-
{A} {adv}opened {B}|dps- dm-
{A} was {adv}undertaken at {B}|ps- dps-
the field of {A} {adv}covered {B}|ps- fo-
{A} was {adv}approached through {B}|ips- ud+
access through {B} was {adv}chosen for {A}|ips- dd-
{A} {adv}passed along {B}|ips- ps-
{A} {adv}contained {B}|ai- co-
{A} is {adv}formulated with {B}|ai- im+
{B} is the {usual} active principle of {A}|ai- im+
{A} is a {usual} derivative of {B}|im+ ai-
{A} was {adv}obtained by altering {B}|im+ ai-
{A} was {adv}prepared from {B}|im+ ai-
{A} was {adv}quantified by {B}|co+ it-
{A} was a {usual} constituent of {B}|co+ ai+
{B} {adv}detected {A}|co+ it-
{A} was a {usual} step of {B}|mo+ ds+
{B} {adv}comprised {A}|mo+ co+
{A} formed part of {B}|mo+ co+ ai+
"""

NEUTRAL = """
{A} and {B} were recorded in {n} participants
{A} was {adv}compared with {B} in {n} records
neither {A} nor {B} changed over time
{A} was coded before {B} was coded
{A} was {adv}unrelated to {B}
{A} was seen in the absence of {B}
data on {A} and {B} were missing in {n} records
{A} was {adv}assessed independently of {B}
{A} and {B} were both listed as covariates
{A} did not differ by {B}
{A} , unlike {B} , was reported by all centres
{A} was {adv}discussed together with {B}
the registry holds codes for {A} and for {B}
{A} or {B} served as an exclusion criterion
no association between {A} and {B} was seen
reports on {A} rarely mention {B}
{A} was studied first and {B} second
questions about {A} were asked after questions about {B}
{A} was entered in the same model as {B}
the frequency of {A} was {pct} % and that of {B} was {frac}
{A} was {adv}reviewed by the board that also reviewed {B}
records of {A} were matched to records of {B}
{A} was left out of the analysis of {B}
{A} and {B} were scored by different raters
information on {A} was {adv}more complete than on {B}
{A} was {adv}frequent in centres where {B} was rare
the section on {A} precedes the section on {B}
{A} was mentioned in {n} letters and {B} in {m}
{A} was documented during the same visit as {B}
training covered {A} on the first day and {B} on the second
costs of {A} exceeded those of {B}
{A} remained stable while {B} was under review
{A} was used as a keyword with {B}
{A} was {adv}observed with or without {B}
""".strip().split("\n")

DENIALS = [
    "There was no evidence that",
    "We could not confirm that",
    "It is unlikely that",
    "Earlier claims were not supported that",
]

OPENERS = [
    "In this cohort ,", "Among {n} patients ,", "Over a median of {n} months ,", "We found that", "Our data show that",
    "As reported earlier ,", "In {pct} % of cases ,", "After adjustment for age ,", "Notably ,", "At follow-up ,",
    "In the İzmir arm ,", "In {n} of {m} adults ,", "According to two raters ,", "In a subgroup analysis ,",
    "During the second year ,", "In line with the protocol ,", "Overall ,", "In the Québec registry ,",
    "By week {n} ,", "Interestingly ,", "It was noted that", "The reviewers agreed that", "In our series ,",
    "On univariate analysis ,", "In children ,", "In both sexes ,",
]  # fmt: skip

ENDINGS = [
    "in {n} of {m} cases ( {pct} % )", "( <i>P</i> = {frac} )", "during the second year", "according to the registry",
    "without further change", "despite close monitoring", "at {n} mg/kg", "above 10<sup>{n}</sup> copies per ml",
    "with β = {frac}", "( 95 % CI , {frac} to {pct} )", "as judged by two raters", "in both arms", "within {n} days",
    "at a mean age of {n} years", "under CO<sub>2</sub> supply", "in {n} centres", "for {n} weeks", "after {n} visits",
    "at < {n} µg per ml", "( n = {n} )", "in spite of missing data", "& this held in men", "across all strata",
]  # fmt: skip

THIRD = ["in carriers of {C}", "irrespective of {C}", "after stratifying for {C}", "when {C} was excluded"]

ADVERBS = ["often ", "rarely ", "clearly ", "probably ", "in part ", "mostly ", "repeatedly ", "once more "]
USUAL = ["usual", "main", "frequent", "likely", "early", "recognised"]

FILLERS = [
    "A total of {n} participants were enrolled between January and June .",
    "The study was approved by the local board and registered in advance .",
    "Data were analysed with a mixed model and two random effects .",
    "Median follow-up was {n} months ( range , {m} to {n} ) .",
    "Further work in larger samples is needed .",
    "The mean age was {pct} years , and {n} % were women .",
    "Values are given as mean ± standard deviation .",
    "No patient was lost to follow-up .",
    "Samples were stored at -80 °C until use .",
    "Two authors extracted the data independently .",
    "The difference between arms was {frac} ( 95 % CI , {frac} to {pct} ) .",
    "These results deserve attention from planners and carers .",
    "Forms were completed at home and returned by post .",
    "Model fit was judged by the likelihood ratio .",
    "Heterogeneity was low ( <i>I</i><sup>2</sup> = {n} % ) .",
    "Funding had no influence on the report .",
    "Concentrations of H<sub>2</sub>O were kept constant at {pct} % .",
    "Interviews lasted {n} minutes on average .",
    "The final sample held {n} records from {m} centres .",
    "Limitations include the small sample and the short period .",
]

SINGLE = [
    "The reported rate of {A} was {pct} % .",
    "Guidance on {A} varies between countries .",
    "We reviewed {n} reports of {A} from {m} centres .",
    "The cost of {A} has been estimated at {n} units per year .",
    "Little is known about {A} in older adults .",
    "Awareness of {A} rose over the decade .",
]

FOREIGN = {
    "fre": "Nous rapportons {n} dossiers avec {A} et {B} suivis pendant {m} mois .",
    "ger": "Wir berichten über {n} Fälle mit {A} und {B} aus {m} Zentren .",
    "spa": "Se describen {n} casos con {A} y {B} durante {m} meses .",
}


def _read(rows):
    templates = []
    for row in rows.strip().split("\n"):
        clause, _, uses = row.partition("|")
        templates.append((clause, {_SHORT[use[:-1]]: use[-1] == "+" for use in uses.split()}))
    return templates


TELLING = _read(_TELLING)
CLAUSES_OF = {
    relation.name: [(clause, uses[relation.name]) for clause, uses in TELLING if relation.name in uses]
    for relation in RELATIONS
}


def running_words():
    """Lower-cased words of all text that is not a mention."""
    texts = [clause for clause, _ in TELLING] + NEUTRAL + DENIALS + OPENERS + ENDINGS + THIRD + FILLERS + SINGLE
    texts += ADVERBS + USUAL + list(FOREIGN.values())
    return {word.lower() for text in texts for word in text.split() if "{" not in word}
