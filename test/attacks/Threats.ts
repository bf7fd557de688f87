// The threats that tests must hold, as tags of the test runner: a test names its threats in `tags`.

interface Threat {
  readonly name: `attack/${string}`
  /** What the service does about it. */
  readonly description: string
  /** What no test covers, and why. */
  readonly untested?: string
}

const threat = (slug: string, description: string, untested?: string): Threat => ({
  name: `attack/${slug}`,
  description,
  ...(untested === undefined ? {} : { untested }),
})

export const threats: ReadonlyArray<Threat> = [
  // Isolation of workspaces
  threat("foreign-id", "An id of another workspace is unknown in every place of every operation"),
  threat("foreign-nested-id", "An id of another workspace deep in a body or in a job refers to nothing"),
  threat("foreign-alias", "An alias of another workspace is unknown"),
  threat("foreign-host", "A page is served under the hosts of its workspace only, in every spelling of a host"),
  threat("row-level-security", "A statement without a workspace sees no row; its role owns nothing"),
  threat(
    "signed-link",
    "A signed link opens only what it was signed for, until it expires",
    "S3 signs its own links, method, path and time included",
  ),
  // Authentication
  threat("malformed-credentials", "Every malformed credential gets the same 401"),
  threat("dead-key", "Unknown, revoked and expired keys get the same answer"),
  threat("key-guessing", "Guessing keys is rate limited; a revoked key ends at once"),
  threat("password-guessing", "Refused sign-ins are alike, and limited for each account and address"),
  threat("passkeys", "A passkey signs one challenge of this browser, for this site and its user; a copy is noticed"),
  threat("oidc", "A sign-in with the identity provider belongs to the browser that began it, and to a verified person"),
  threat("sessions", "A session is of one listener, new for each sign-in, and ends at once"),
  threat("forged-request", "The console refuses requests that its own pages did not send"),
  threat("roles", "Every operation names the role that it needs, and a lower one is refused"),
  threat("admin-access", "The admin API needs its token, and does not exist without one"),
  // Injection
  threat("search-injection", "A search is literal text; a sort is one of a list"),
  threat("rule-tree", "A rule tree of wrong shape, size or depth is refused whole"),
  threat("header-injection", "No field adds a header to a message"),
  threat("address-spoofing", "An email address is exactly one mailbox"),
  threat("smtp-smuggling", "No body ends its message or begins another one"),
  threat("csv-formula", "No exported cell is a formula, and each is imported unchanged"),
  threat("html-injection", "A value stays in its place in the HTML"),
  threat("token-injection", "A value that looks like a merge token is shown as text"),
  threat("link-injection", "No value changes the target of an author's link"),
  threat("log-injection", "Text from outside is at most one short line of a log"),
  threat("mail-bombing", "A form fills no mailbox, and does not say whether an address is known"),
  threat("form-overwrite", "A form fills empty fields it declares, and never undoes an opt-out"),
  // Pages
  threat("page-script", "No page runs scripts"),
  threat("file-type", "The bytes of a file decide its type, and no browser runs it"),
  threat("service-worker", "No page registers a service worker"),
  threat(
    "origins",
    "Pages and the API have separate origins and no cookies",
    "Cookies of sibling hosts are up to the browser: docs/pages.md asks for a separate domain",
  ),
  threat("html-sandbox", "HTML on the API's origin is sandboxed"),
  threat("brand-injection", "Brand texts stay text"),
  // Outgoing requests
  threat("ssrf", "The service calls no address that a tenant chooses"),
  threat(
    "redirect",
    "Outgoing requests follow no redirects and read bounded answers",
    "DNS rebinding needs an address that a tenant chooses: attack/ssrf covers it",
  ),
  threat("sns-subscription", "Only SNS confirms a subscription, and only for the configured topic"),
  threat("ai-output", "AI answers are cleaned, bounded and never run"),
  // Links
  threat("open-redirect", "A click leads to the target in its message only"),
  threat("token-forgery", "A link token with one changed bit is refused"),
  threat(
    "token-reuse",
    "A link token has one purpose, and survives a change of the secret",
    "An opt-out of a deleted contact is accepted on purpose: the law requires it",
  ),
  threat("unsubscribe-prefetch", "GET and HEAD of an unsubscribe link change nothing"),
  threat("unsubscribe-post", "One POST of the right form unsubscribes; no other does"),
  threat("bot-engagement", "Opens and clicks of bots do not count"),
  threat("form-redirect", "A form redirects only to the target that its author set"),
  // Paths
  threat("alias-traversal", "An alias leads to no other path"),
  threat("file-name", "A file name is no part of a key, and breaks no header"),
  threat("path-traversal", "No key and no page path leaves its folder"),
  // Sizes
  threat("json-bomb", "JSON that is too deep, too large or broken is refused before it is parsed"),
  threat("upload-bomb", "A form with too many, endless or broken parts is refused, and leaves no file"),
  threat("csv-bomb", "A broken import file is refused in constant memory"),
  threat(
    "slow-input",
    "Input that is built to be slow is read in linear time",
    "No pattern comes from outside: searches are literal, so RE2 is not needed",
  ),
  threat("nesting-bomb", "HTML nested without end and oversized images are not processed"),
  // HTTP
  threat(
    "malformed-http",
    "Malformed HTTP and oversized headers are refused",
    "No test runs behind a proxy: npm offers none of those that the docs name",
  ),
  threat("header-spoofing", "No header changes the method or the caller"),
  // Values
  threat("prototype-key", "Names of Object.prototype are ordinary keys"),
  threat("nul", "NUL is refused in requests, and stripped from AI output"),
  threat("lone-surrogate", "A lone surrogate is refused"),
  threat("text-folding", "All stores compare text alike; an address is one in every spelling"),
  threat("number-coercion", "Numbers are decimal, and no other type is coerced to one"),
  threat("date-coercion", "A date is a calendar day; an instant has an offset"),
  // Abuse
  threat("bad-cursor", "A broken cursor and a page past the end are reported"),
  threat("repeated-call", "A repeated call with an idempotency key runs once"),
  threat("unknown-key", "An unknown key of a body is refused by name"),
  threat("race", "Of several callers that want the last unit, one gets it"),
  threat("forged-report", "An unsigned mail report changes nothing; a repeated one changes nothing more"),
  threat("secret-leak", "No secret leaves its place", "`npm audit signatures` needs the registry, so no test runs it"),
]
