// Handler of `/f/<tent id>/<form id>`: accepts submissions of forms on published pages, without scripts and cookies. Bots that
// fill the honeypot field get the same answer.
import { field_bytes_max, fields_max, isTooLong, type SentFields } from "@tentpole/core/forms/Answers"
import { type Form, field_name_length_max } from "@tentpole/core/forms/Form"
import { type Accepted, Forms } from "@tentpole/core/forms/Forms"
import type { Issue } from "@tentpole/core/kernel/Refusal"
import { Settings } from "@tentpole/core/kernel/Settings"
import { consent_user_agent_length_max } from "@tentpole/core/topics/GivenConsent"
import { ipPrefixOf } from "@tentpole/core/topics/IpPrefix"
import { addressPath, originOf, readHost } from "@tentpole/core/tents/pages/PageAddress"
import { ByteSize, Effect, Stream } from "effect"
import { HttpIncomingMessage, type HttpServerRequest, type HttpServerResponse, Multipart } from "effect/http"
import * as Answers from "./PageAnswers.ts"
import type { FoundPage, PageCache } from "./PageCache.ts"
import { visitorLimit, type VisitorLimitOptions } from "./VisitorLimit.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

export const submissionLimit: VisitorLimitOptions = { burst: 30, per_second: 0.5, visitors_max: 100_000 }

interface Found extends FoundPage {
  readonly form: Form
  /** Origin of the requested host. */
  readonly origin: string
}

export const formPages = Effect.fnUntraced(function* (
  cache: PageCache,
  addressOf: (request: Request) => string,
  limits: VisitorLimitOptions = submissionLimit,
) {
  const forms = yield* Forms
  const settings = yield* Settings
  const limited = yield* visitorLimit("forms", limits)

  const find = Effect.fnUntraced(function* (request: Request, tent: string, formId: string) {
    const host = readHost(request.headers["host"] ?? "")
    const found = host === null ? null : yield* cache.find(host, `/t/${tent}`)
    if (host === null || found === null) return { site: host === null ? null : yield* cache.site(host) }
    const form = (yield* found.page.forms).get(formId)
    if (form === undefined) return { site: found.site }
    return { ...found, form, origin: originOf(settings, host) } satisfies Found
  })

  const send = Effect.fnUntraced(function* (request: Request, found: Found) {
    const wait_s = yield* limited(addressOf(request))
    const { form, site } = found
    if (wait_s > 0) return Answers.tooOften(site, wait_s)
    const read = yield* bodyOf(request)
    if (read === "too large") return Answers.formTooLarge(site)
    if (read === "unknown") return Answers.unknownFormType(site)
    if (read === "broken") return yield* refuse(found, [], [{ path: "", message: "The form could not be read" }])
    const { sent, withFile } = read
    if (withFile) return yield* refuse(found, sent, [{ path: "", message: "This form does not accept files" }])
    const userAgent = request.headers["user-agent"]?.slice(0, consent_user_agent_length_max) ?? null
    const by = { ipPrefix: ipPrefixOf(addressOf(request)), userAgent }
    return yield* forms.submit(site.workspaceId, form, sent, by).pipe(
      Effect.map((accepted) => taken(found, accepted)),
      Effect.catchTags({
        NotFound: () => Effect.succeed(Answers.notFound(site)),
        TooMuchSent: () => Effect.succeed(Answers.formTooLarge(site)),
        Invalid: ({ issues }) => refuse(found, sent, issues),
      }),
    )
  })

  /** Answers a request to the path of a form. */
  return Effect.fnUntraced(function* (request: Request, tent: string, formId: string) {
    const found = yield* find(request, tent, formId)
    if (!("form" in found)) return Answers.notFound(found.site)
    return request.method === "POST" ? yield* send(request, found) : Answers.methodNotAllowed(found.site, "POST")
  })
})

/** The page with the form as the visitor filled it in, with messages. */
const refuse = ({ form, page, site }: Found, sent: SentFields, issues: ReadonlyArray<Issue>): Effect.Effect<Response> =>
  Effect.map(page.refused({ formId: form.formId, sent, issues }), (html) =>
    Answers.refusedForm(site, html, addressPath(page.address), issues),
  )

/** The success URL of the form; null if it is not an http(s) URL. */
const successUrl = ({ form, origin }: Found): URL | null => {
  const { successUrl: url } = form
  if (url === null || !URL.canParse(url, `${origin}/`)) return null
  const wanted = new URL(url, `${origin}/`)
  return /^https?:$/.test(wanted.protocol) ? wanted : null
}

const isOwn = (url: URL, { origin }: Found): boolean => url.origin === new URL(origin).origin

/** The answer to an accepted submission. */
const taken = (found: Found, accepted: Accepted): Response => {
  const url = successUrl(found)
  if (url === null) return Answers.thanks(found.site, addressPath(found.page.address), accepted)
  return isOwn(url, found)
    ? Answers.seeOther(`${url.pathname}${url.search}${url.hash}`)
    : Answers.onward(found.site, url.href, accepted)
}

/** Percent-encoding can triple the size. */
export const submission_bytes_max = (fields_max + 1) * 3 * (field_bytes_max + field_name_length_max)

interface Sent {
  readonly sent: SentFields
  readonly withFile: boolean
}

type Body = Sent | "too large" | "unknown" | "broken"

const bodyOf = (request: Request): Effect.Effect<Body> => {
  if (Number(request.headers["content-length"] ?? 0) > submission_bytes_max) return Effect.succeed("too large")
  const type = request.headers["content-type"] ?? ""
  if (/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) return urlEncoded(request)
  return /^multipart\/form-data\s*;/i.test(type) ? multipart(request) : Effect.succeed("unknown")
}

const limits = Multipart.limitsServices({
  // One more than the maximum, to detect too many, and the honeypot field.
  maxParts: fields_max + 2,
  maxFieldSize: field_bytes_max + 1,
  // Applies to parts with their headers, also to fields.
  maxFileSize: 2 * field_bytes_max,
  maxTotalSize: submission_bytes_max,
})

const urlEncoded = (request: Request): Effect.Effect<Body> =>
  request.text.pipe(
    Effect.map((text): Body => {
      const sent = decoded(text)
      return sent === "too large" ? sent : { sent, withFile: false }
    }),
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(submission_bytes_max)),
    Effect.catch(({ reason }) =>
      Effect.succeed<Body>(
        reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge" ? "too large" : "broken",
      ),
    ),
  )

/** Percent-encoded, a byte has three characters, and a character up to nine. */
const encoded_name_max = 9 * field_name_length_max
const encoded_field_max = encoded_name_max + "=".length + 3 * field_bytes_max

/** The fields, decoded one by one: of a body that is too large, none after the first that is too long. */
const decoded = (text: string): SentFields | "too large" => {
  const fields = text.split("&", fields_max + 3)
  if (fields.length > fields_max + 2) return "too large"
  const sent: Array<readonly [string, string]> = []
  for (const field of fields) {
    const name_length = field.indexOf("=") < 0 ? field.length : field.indexOf("=")
    if (name_length > encoded_name_max || field.length > encoded_field_max) return "too large"
    // It would drop a `?` at the beginning.
    const read = [...new URLSearchParams(`&${field}`)]
    if (read.some(([, value]) => isTooLong(value))) return "too large"
    sent.push(...read)
  }
  return sent
}

const multipart = (request: Request): Effect.Effect<Body> =>
  request.multipartStream.pipe(
    Stream.runFoldEffect(
      (): { sent: Array<readonly [string, string]>; withFile: boolean } => ({ sent: [], withFile: false }),
      (read, part) => {
        if (Multipart.isField(part)) {
          read.sent.push([part.key, part.value])
          return Effect.succeed(read)
        }
        // Browsers send an empty file for a file field without a choice.
        return Stream.runForEach(part.content, (bytes) =>
          Effect.sync(() => {
            if (bytes.length > 0) read.withFile = true
          }),
        ).pipe(Effect.as(read))
      },
    ),
    Effect.catch((error) =>
      Effect.succeed(error.reason._tag === "Parse" ? ("broken" as const) : ("too large" as const)),
    ),
    Effect.provide(limits),
  )
