// What is tried by whoever calls: with others' ids, with keys of nobody, with words that mean something to what reads them.
import { adapters, but, core, http, law, refused, row, strangers, whole, type Row } from "./Held.ts"

const isolation: ReadonlyArray<Row> = [
  row(
    1,
    "Another workspace's id in any place of any operation is nobody's",
    strangers,
    http("rooms.attacks", "every operation is attacked in one room"),
    http("rooms.attacks", "every place of an id, in path, query and body, is tried with another workspace's"),
  ),
  row(
    2,
    "Another workspace's ids deep in a body, and in jobs, name nothing",
    strangers,
    law("flows", "another workspace sees and touches nothing"),
    http("foreignJobs", "a job of one workspace that names what is another's changes nothing there, whatever its kind"),
    whole(
      "schema",
      "the service sees nothing without a workspace, and with one its rows and no others, in every table",
    ),
  ),
  row(
    3,
    "Another workspace's alias names nothing",
    adapters("tents", "a tent is deleted by id, alias and root; another workspace's names nothing"),
    http("analytics", "a tent's traffic is asked for by id, alias or the root, and days back that are none are seven"),
  ),
  row(
    4,
    "A page is served under its workspace's hosts only, however a host is written",
    http("pages", "a page is served at its alias, its id and the root, under its workspace's host only"),
    http("tracking.front", "a pixel that is asked for under two hosts, or none, is refused and counted for nobody"),
    http("hosts", "one alias of two workspaces is a page of each, under its hosts, also when both lie ready"),
    http(
      "hosts",
      "two hosts, none, and a path with a host of its own are refused by both origins, whatever lies ready",
    ),
    core("tents/Page", "a host is read without port, case and final dot; a slug is one label before the pages' host"),
  ),
  row(
    5,
    "A statement without a workspace sees no row, under a role that owns nothing",
    whole(
      "schema",
      "the service sees nothing without a workspace, and with one its rows and no others, in every table",
    ),
    whole(
      "schema",
      "the service owns nothing, makes nothing outside the queue's schema, and reaches no partition by itself",
    ),
    adapters("audience", "shows the contacts of the workspace that is named, and nobody where none is"),
    adapters(
      "audience",
      "${kind} ones see their own workspace, whoever had the connection before, whatever became of it",
    ),
  ),
  row(
    6,
    "A signed address opens what it was made for, until it expires",
    core("blobs/signedLink", "opens nothing that it was not made for"),
    core("blobs/signedLink", "names what it is about until it expires, and not a moment longer"),
    http("imports.refusals", "an address that has expired, or was made for something else, takes nothing"),
    core("blobs/signedLink", "is refused when any bit of it is another"),
    but("S3 signs its own addresses, with method, path and time in what is signed"),
  ),
]

const authentication: ReadonlyArray<Row> = [
  row(
    7,
    "Every malformed way of saying who one is is the same 401",
    http("hosts", "a second Authorization is nobody's, whichever of the two is right"),
    http("edge", "every way of not being somebody is the same 401"),
  ),
  row(
    8,
    "Unknown, revoked and expired keys read alike",
    http(
      "wrongKeys",
      "unknown, nearly right, revoked and expired keys are refused by the same bytes, and leave no trace",
    ),
    http("keyTimes", "no kind of wrong key is told from another by how long its refusal takes"),
    law("workspaces", "a key is found by its hash with its workspace, until it is revoked or its time is over"),
    core("workspaces/ApiKey", "is live until it is revoked or its time is over"),
  ),
  row(
    9,
    "Who tries keys is asked to wait, and a key that is revoked ends at once",
    http(
      "wrongKeys",
      "of 10,000 forged keys a minute those of one address are looked up that it has a right to, and no more",
    ),
    http(
      "wrongKeys",
      "one forged key too many is 429 with how long to wait, whatever address it claims; the key in use goes on",
    ),
    http("wrongKeys", "behind a proxy of ours each address has its own, as the proxy tells it"),
    http("wrongKeys", "a key is asked of the store each time: revoked, it ends at once, also where it was in use"),
    core("workspaces/ApiKey", "what can't be a key is known without asking anybody"),
    http("administration", "a key is shown once, works until it is revoked, and is revoked for good"),
  ),
  row(
    10,
    "The administration is for who has its token, and is not there without one",
    whole("e2e/start", "without ADMIN_TOKEN everything under /admin is 404, whoever asks"),
    whole("e2e/administration", "a wrong token and a tenant's key are 401, the right one comes in"),
    http(
      "administration",
      "nobody comes in without the token: not with a tenant's key, not with a part of it, not with two",
    ),
  ),
]

const injection: ReadonlyArray<Row> = [
  row(
    11,
    "A search is for its letters, a sort is one of the list",
    refused,
    law(
      "contactListing",
      "a search finds a literal piece of a name, the email, the phone or the company, however it is written",
    ),
  ),
  row(
    12,
    "A rule tree of the wrong shape, size or depth is refused whole",
    refused,
    core("segments/Parse", "neither endless depth nor endless width is followed"),
    core("segments/Parse", "everything that is wrong is told at once, each at its path"),
    core("segments/Parse", "names that every object has by birth are no names here"),
  ),
  row(
    13,
    "No field makes a second header",
    core("emails/headers", "are the expected ones, each once, whatever any field holds"),
    core("emails/headers", "name one person each, of the address that was taken, however the name is written"),
  ),
  row(
    14,
    "An address is one mailbox, the one that it seems to be",
    core(
      "contacts/identity",
      "that is taken is one mailbox, and nothing in it can end a header, a command or the address",
    ),
    core("contacts/identity", "is refused when it means nobody, or somebody else than it seems to"),
  ),
  row(
    15,
    "No body ends its message, or begins another",
    core(
      "emails/render",
      "has CRLF only, no line that is too long or begins with a dot, one final CRLF, and each header once",
    ),
  ),
  row(
    16,
    "No cell is a formula, and each comes back as it was",
    core("csv", "is put on what a spreadsheet would run, and on nothing else"),
    core("csv", "leaves every text as it was once it is taken off again, and no formula while it is on"),
    core("imports/keptRows", "guards what a spreadsheet would run, names too, and what is guarded already only once"),
  ),
  row(
    17,
    "A value stays in its place in the HTML",
    core("emails/contexts", "stays in its place, whatever it is and wherever that is"),
    core("emails/render", "keeps values out of where they could do harm"),
  ),
  row(
    18,
    "A value that looks like a token is shown as it is",
    core("emails/contexts", "is no token, whatever it looks like, also together with what stands beside it"),
  ),
  row(
    19,
    "No value chooses where a link of the author's leads",
    core("emails/contexts", "lead through the redirect, and to where the author said"),
    http("tracking.clicks", "a link's tokens are its reader's, escaped; characters beyond ASCII travel as escapes"),
  ),
  row(
    20,
    "What comes from outside is one short line of a log, or none",
    core("deliveries/settlement", "keeps a reply as one printable line, cut"),
    adapters("logging", "is one line that moves no cursor, whatever is told"),
    adapters("logging", "is cut, however much is told, and holds no half of an address"),
    adapters("logging", "what must not stand in a log is found beside whatever stands there, in long words too"),
    whole("e2e/operating", "each line of the log is JSON; a request's has its id, and none has an address or a key"),
  ),
  row(
    21,
    "A form fills what it declares, overwrites nothing, and takes no opt-out back",
    core("forms/forms", "fills what is empty, overwrites nothing, and never takes an opt-out back"),
    core("forms/forms", "counts as far as the form declares it, and stands together under one name"),
    http("forms", "a machine that fills in everything gets the usual answer, and leaves nothing"),
    http("forms", "one who sends without end is asked to wait, and others are not"),
  ),
]

export const callers: ReadonlyArray<Row> = [...isolation, ...authentication, ...injection]
