// What is tried with bytes and values: too many, too large, of no kind, at once, and again.
import { adapters, but, core, http, law, refused, row, strangers, whole, type Row } from "./Held.ts"

const bombs: ReadonlyArray<Row> = [
  row(
    42,
    "JSON that is too deep, too large or none is refused before it is read",
    refused,
    http("edge", "text that can't be stored, and endless nesting, are refused before any schema looks"),
    http("imports.refusals", "rows of more than 5 MB are refused by the listener"),
    http("wire", "bodies that are all brackets, all keys, or begin with a mark are refused in words of a size"),
    http("fuzz/fuzz", "are described, whatever is asked of the API"),
  ),
  row(
    43,
    "A form of many, endless or broken parts is refused, and leaves no file",
    http("tents.assets", "no file, an empty one, two, a field, another name, a broken body: 400, and nothing is left"),
    http(
      "tents.assets",
      "a file of the largest size is kept, one byte more is 413, and so is an endless one; nothing is left of them",
    ),
    http("tents.uploads", "an upload that is too large is refused while it is sent, however long it would go on"),
    http("tents.stores", "are nothing to anybody when an upload breaks off, or its process dies behind the last byte"),
    adapters(
      "blobs.links",
      "a body that breaks off, is too large or is not waited for leaves no file, not even one half written",
    ),
  ),
  row(
    44,
    "A file of people that is none is refused in flat memory",
    adapters("csv", "a line or a quote that goes on for a gigabyte is given up after its first half megabyte"),
    adapters("csv", "what is no CSV is refused with the reason"),
    core("imports/table", "are refused where there are none, or thousands"),
  ),
  row(
    45,
    "What is made to be slow is read in good time",
    core("emails/tokens", "finds nothing, soon, in what is made to be slow"),
    core("emails/render", "compiles what is made to be slow in good time"),
    adapters("ai/fake-email", "as long as prompts can be is read in a moment"),
    whole("attacks/sources", "repeats nothing that repeats already, but where it is told why"),
    but("No pattern is anybody else's: searches are for letters, so that nothing needs RE2"),
  ),
  row(
    46,
    "HTML that nests without end, and pictures too large to read, are left alone",
    adapters("ai/clean", "a page that nests without end is refused, and no parser falls over it"),
    adapters("ai/clean-email", "are told of an email that is too deep, too large or too various"),
    core("tents/Assets", "what no model reads, or is too large, is only named; small pictures can stand on the page"),
    core("blobs/pictureSize", "a picture's size is what its header says, in every format"),
    core("blobs/pictureSize", "what is cut off, empty, endless or no picture has no size"),
    adapters(
      "tents.files",
      "a picture that says it is larger than anybody looks at is told of, and unpacked by nobody",
    ),
  ),
]

const wire: ReadonlyArray<Row> = [
  row(
    47,
    "What is no HTTP is refused, and so are heads too large",
    http(
      "hosts",
      "two hosts, none, and a path with a host of its own are refused by both origins, whatever lies ready",
    ),
    http(
      "patience",
      "what is no request, and headers that are too large, are refused like everything else, each with an id",
    ),
    whole("attacks/sources", "no server reads requests less strictly than node does by itself"),
    but("Behind a proxy it is not tried: none that could be installed from npm is one of those the documents name"),
  ),
  row(
    48,
    "No header makes a GET another method, or its sender somebody else",
    strangers,
    refused,
    http("pages", "a proxy is believed only when it is ours"),
    http("rateLimit", "each key has its own, and who has none is not counted"),
    http("tracking", "other methods are refused"),
    http("wire", "TRACE and methods that nobody knows are refused, and echo nothing; an address without end is 431"),
    http("wire", "requests that are sent before any is answered are all answered, in their order"),
    http(
      "wrongKeys",
      "one forged key too many is 429 with how long to wait, whatever address it claims; the key in use goes on",
    ),
  ),
]

const values: ReadonlyArray<Row> = [
  row(
    49,
    "Keys that every object has by birth are keys like others",
    refused,
    core("contacts/item", "names nothing that every object has"),
    http("imports.refusals", "columns may be called what every object has by birth"),
  ),
  row(
    50,
    "NUL is refused, and stripped from what machines write",
    refused,
    http("edge", "text that can't be stored, and endless nesting, are refused before any schema looks"),
    adapters("ai/clean-email", "loses what can't be stored"),
  ),
  row(
    51,
    "Half a character is refused",
    refused,
    http("edge", "text that can't be stored, and endless nesting, are refused before any schema looks"),
    core("contacts/values", "that can't be stored is refused"),
  ),
  row(
    52,
    "Text is compared alike in every store, and an address is one in every spelling",
    core("segments/Evaluate", "text is compared by its folded form: case, composition, the Turkish i, final sigma"),
    core("contacts/identity", "is one in every composition and every spelling of its domain"),
    adapters(
      "segments",
      "store and evaluator agree on every operator with every border, and negatives pick the others",
    ),
  ),
  row(
    53,
    "A number is one, in digits, and nothing is made into one",
    refused,
    core("contacts/values", "of JSON is never coerced"),
    core("contacts/values", "of minus zero is zero"),
  ),
  row(
    54,
    "A day is one of the calendar, an instant has its offset",
    refused,
    core("contacts/values", "is a day of the calendar"),
    core("contacts/values", "is a time of the day, in the years of four digits"),
  ),
]

const abuse: ReadonlyArray<Row> = [
  row(
    55,
    "A cursor that is broken, and a page beyond the end, are told",
    refused,
    http("tents", "a listing goes by cursor, and a broken one is 400"),
    core("page", "that are none of ours are refused"),
    http("listings", "another workspace's cursor and another listing's lead through one's own entries, and no others"),
    law("contactListing", "small pages add up to the whole, and one past the end is empty"),
  ),
  row(
    56,
    "A repeated call is done once",
    http("idempotency", "of fifty at once one is done"),
    http(
      "idempotency",
      "another body under the key is refused, and another path, method or workspace has keys of its own",
    ),
    http("idempotency", "a key is 1 to 255 printable characters"),
    http("idempotency", "a failure of ours, and what was refused before the call, leave the key free"),
    http("idempotency", "an answer that is too large to be kept is told of, and nothing is done again"),
  ),
  row(57, "A key that a call does not take is refused by its name", refused),
  row(
    58,
    "Of many who want the last of something, one gets it",
    law("tents", "an alias is one tent's: of many that publish under it at once, one does"),
    law("emailGenerations", "without a credit nothing is written; of two who want the last one, one gets it"),
    law("blastLaunch", "of launches at once one wins, and the others are told that it is sending"),
    law("listVerbs", "of renames and new lists that want one name at once, one gets it"),
    law("contactBatches", "of many who create one person at once, one does and the others are told"),
  ),
  row(
    59,
    "A report that nobody signed changes nothing, and one that is repeated nothing more",
    http("hooks", "a wrong secret, another provider's, and a provider that is unknown read the same"),
    http("hooks", "what is not signed as its provider signs is refused"),
    http("hooks", "a token of Mailgun's goes with one body"),
    http(
      "hooks",
      "a body that is too large or no JSON is refused, and what is not understood in a batch is passed over",
    ),
    adapters("smtpListener", "cuts off who says nothing, who never ends a line, and who takes too long"),
    adapters("deliveries-links", "a return path fits into an address and leads back"),
  ),
  row(
    60,
    "No secret stands where it does not belong",
    whole(
      "e2e/operating",
      "secrets and addresses are nowhere but where they belong, after a life with everything that goes wrong in one",
    ),
    adapters("configuration", "never repeats what may hold a password"),
    whole("attacks/rows", "everything that is installed comes from the registry, by its hash"),
    but(
      "The registry's own signatures are asked for by `npm audit signatures`, which needs the registry: not in a test",
    ),
  ),
]

export const loads: ReadonlyArray<Row> = [...bombs, ...wire, ...values, ...abuse]
