// What is tried on those around the service: on readers and visitors, on whom it asks, by links and by paths.
import { adapters, but, core, http, law, row, whole, type Row } from "./Held.ts"

const pages: ReadonlyArray<Row> = [
  row(
    22,
    "No page runs anything",
    http("wire", "a page in a browser is told nothing by the API: no origin is let in, none is asked for a cookie"),
    adapters(
      "ai/clean",
      "whatever a page is torn into, what is kept of it has no dangers, and cleaning it again changes nothing of that",
    ),
    http(
      "templates.versions",
      "each version's HTML reads back byte for byte in a sandbox, and what could act is taken out",
    ),
    whole(
      "browser/pages",
      "it fits on phones and desktops, loads nothing that its policy stops, and nobody is shut out, by day and by night",
    ),
    http("pages", "a page has the policy of the law, no cookies, and takes no service worker"),
  ),
  row(
    23,
    "What a file is, its bytes say, and no browser runs it",
    http("tents.assets", "what a file is, its bytes say: whatever its name and its part's type"),
    http("tents.assets", "bytes come back as they went in, as an attachment that no browser runs"),
    core("tents/Assets", "text that a browser would run is told from text that it would show"),
  ),
  row(
    24,
    "No page has a service worker",
    http("pages", "a page has the policy of the law, no cookies, and takes no service worker"),
  ),
  row(
    25,
    "Pages and the API are origins of their own, without cookies",
    http("wire", "a page in a browser is told nothing by the API: no origin is let in, none is asked for a cookie"),
    whole("attacks/sources", "nothing reads a cookie, and nothing sets one"),
    but(
      "What a sibling's page does to another's cookies is the browser's: docs/pages.md asks for a domain of their own",
    ),
    http("listeners", "the pages' origin serves no API, and the API's origin no pages"),
    http("pages", "a page has the policy of the law, no cookies, and takes no service worker"),
  ),
  row(
    26,
    "HTML of the API's origin is in a sandbox",
    http("emails", "each version's HTML reads back byte for byte, in a sandbox"),
    http("tents", "content is sandboxed HTML about the prompt, and 409 before there is any"),
    http(
      "templates.versions",
      "each version's HTML reads back byte for byte in a sandbox, and what could act is taken out",
    ),
  ),
  row(
    27,
    "A brand's words break out of nothing",
    core("emails/email", "shows the brand, and nothing of it breaks out"),
    core(
      "templates/template",
      "of a page that begins blank carries the brand, and nothing that a brand could bring along",
    ),
  ),
]

const outgoing: ReadonlyArray<Row> = [
  row(
    28,
    "The service asks nothing of an address that a tenant names",
    whole("attacks/rows", "only adapters that say why reach out of the process"),
    http("hooks", "nothing is asked of anybody but SNS, and nothing for a topic that is not ours"),
  ),
  row(
    29,
    "Where it asks, it follows nobody elsewhere, and reads no answer without end",
    adapters("signatures", "follows nobody elsewhere, waits for so long, and asks once for a certificate"),
    adapters("signatures", "takes neither an error nor an answer without end"),
    but("No address of a tenant's is ever asked, so that no name has to be resolved twice: row 28 holds that"),
  ),
  row(
    30,
    "A subscription of mail reports is SNS's and of our topic",
    http("hooks", "a subscription is confirmed when it is signed, of our topic, and at SNS"),
    http("hooks", "nothing is asked of anybody but SNS, and nothing for a topic that is not ours"),
  ),
  row(
    31,
    "What the AI answers is data: cleaned, bounded, never run",
    adapters("ai/answers", "that goes on without end is read in a moment"),
    adapters("ai/providers", "an answer that calls a tool calls nobody: it is a page if it holds one, else none"),
    adapters("ai/providers", "what won't pass is given up at once: a wrong key, a far wish, nonsense"),
    adapters(
      "tents",
      "a refused, silent, endless or unsafe answer fails with a sentence, and gives the credit back once",
    ),
    adapters("emails", "what the AI writes is cleaned, and fills subject and preview text where there is none"),
  ),
]

const links: ReadonlyArray<Row> = [
  row(
    32,
    "A click leads where its message says",
    http("tracking.clicks", "nothing in the address chooses where a click leads"),
    http("tracking.clicks", "what is no web address is never the target of a redirect"),
  ),
  row(
    33,
    "No token with a bit changed passes",
    adapters("deliveries-links", "no flipped bit, no shorter and no longer token passes, of any kind"),
    core("blobs/signedLink", "is refused when any bit of it is another"),
    http("tracking", "a tampered, truncated or lengthened token, or one for another purpose, is the same neutral page"),
  ),
  row(
    34,
    "A token is bound to its purpose, and outlives a change of the secret",
    adapters("deliveries-links", "a token is bound to its purpose and its index: one made into another is nothing"),
    adapters(
      "deliveries-links",
      "after the secret is changed, the links in messages that were sent before still lead there",
    ),
    http("tracking", "a right token for what is not there is the same neutral page"),
    http("tracking.unsubscribe", "who is deleted and then unsubscribes is suppressed: the address may come back"),
    but("A deleted person's opt-out is taken, not refused: the law of mail asks for it, and the address may come back"),
  ),
  row(
    35,
    "Looking at an unsubscribe link changes nothing",
    http(
      "tracking.unsubscribe",
      "a hundred GETs, HEADs, OPTIONSs and prefetches of the unsubscribe link and the page change nothing at all",
    ),
  ),
  row(
    36,
    "One POST of the right form unsubscribes, and no other does",
    http("tracking.unsubscribe", "any other POST changes nothing, and is asked again"),
    http("tracking.unsubscribe", "${name} unsubscribes at once, without cookies or redirects, and may be repeated"),
    whole("e2e/line", "a message is personal, signed, trackable, and can be unsubscribed from by one POST"),
  ),
  row(
    37,
    "What machines open and click counts nowhere",
    http("tracking", "machines are answered, and not counted"),
    core("deliveries/engagement", "is none within two seconds of the hand-over: nobody is that quick"),
    law("deliveryTracking", "ten openings at once are one"),
  ),
  row(
    38,
    "Who sends a form goes where its author said",
    http("forms", "who has sent a form goes where its author wants, and nowhere that the visitor says"),
  ),
]

const paths: ReadonlyArray<Row> = [
  row(
    39,
    "An alias leads nowhere else",
    http("tents.attacks", "attacks by path: what leads out of the alias is 400 or 404, to DELETE and to publish alike"),
    core("tents/Alias", "an alias is what the rule says, and nothing else"),
    core("tents/Alias", "a UUID is no alias, in whatever version"),
  ),
  row(
    40,
    "A file's name is never part of a key, and breaks no header",
    http("tents.assets", "names of files lead nowhere and break no header"),
    core("tents/Assets", "a name of a file is never part of a key, and has nothing in it that breaks a line"),
    core("blobs/contentDisposition", "no name can end the header or its quotes"),
  ),
  row(
    41,
    "No key and no path of a page leads out of its place",
    law("blobs", "a key that could lead elsewhere is a mistake of ours, not a place"),
    adapters(
      "blobs.links",
      "a link out of the folder is no blob: not read, not copied, and replaced or removed without what it leads to",
    ),
    http(
      "hosts",
      "paths that lead out, hide a NUL or break off are 400 or 404 on both origins, past the router or not",
    ),
    core("tents/Page", "nothing is published at any other path"),
    adapters("mail-log", "no address leads out of the folder"),
  ),
]

export const surroundings: ReadonlyArray<Row> = [...pages, ...outgoing, ...links, ...paths]
