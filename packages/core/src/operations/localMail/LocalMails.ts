// The use cases of local mail: read the messages that were written to files, and do what their recipients or mail servers would do.
import { Array, Context, Effect, Layer, Option } from "effect"
import { reportRecorder } from "../../bounces/ReportRecording.ts"
import type { ReportedFact } from "../../bounces/Report.ts"
import type { BlastId, WorkspaceId } from "../../kernel/Ids.ts"
import { type BrokenCursor, decodeCursor, page_limit_default, type Sliced, sliced, textId } from "../../kernel/Page.ts"
import { Invalid, NotFound } from "../../kernel/Refusal.ts"
import { fold } from "../../kernel/Text.ts"
import { Parsers, type TooComplex } from "../../ports/Parsers.ts"
import { Links, type LinkTarget } from "../../rendering/Links.ts"
import { EngagementStore } from "../../tracking/EngagementStore.ts"
import type { ClientRequest } from "../../tracking/BotFilter.ts"
import { Tracking } from "../../tracking/Tracking.ts"
import { localMailParser, type ReadMail } from "./LocalMail.ts"
import { type MailEvent, type MailFile, MailFolder, type MailKind } from "./MailFolder.ts"

export interface LocalMail extends MailFile {
  readonly kind: MailKind
}

/** A tracked link of a message. */
export interface MailLink {
  /** The place of the link in the email, from 0. */
  readonly index: number
  readonly url: string
  readonly text: string
}

export interface OpenedMail extends LocalMail, Omit<ReadMail, "links"> {
  readonly links: ReadonlyArray<MailLink>
}

export interface LocalMailQuery {
  /** Texts that the address and the subject contain, in any case. */
  readonly to?: string
  readonly subject?: string
  readonly blastId?: BlastId
  readonly cursor?: string
  readonly limit?: number
}

/** What a bounce report of local mail says. */
const mailbox_unknown = "550 5.1.1 The mailbox does not exist"

const reports: { readonly [Each in MailEvent]?: ReportedFact } = {
  unsubscribe: { _tag: "unsubscribed" },
  bounce: { _tag: "bounced", kind: "hard", words: mailbox_unknown },
  complaint: { _tag: "complained" },
}

/** A mail program of a person. */
const person: ClientRequest = {
  method: "GET",
  userAgent: "Mozilla/5.0 (local mail)",
  purpose: null,
  knownMachine: false,
}

const notFound = new NotFound({ resource: "message" })

export class LocalMails extends Context.Service<
  LocalMails,
  {
    /** Newest first. Fails where mail is sent to a server. */
    readonly list: (
      workspace: WorkspaceId,
      query: LocalMailQuery,
    ) => Effect.Effect<Sliced<LocalMail>, NotFound | BrokenCursor>
    readonly get: (workspace: WorkspaceId, id: string) => Effect.Effect<OpenedMail, NotFound | TooComplex>
    /** The file as it is, with its envelope in the first two headers. */
    readonly source: (workspace: WorkspaceId, id: string) => Effect.Effect<Uint8Array, NotFound>
    /** Deletes the files of the workspace. */
    readonly deleteAll: (workspace: WorkspaceId) => Effect.Effect<void, NotFound>
    /**
     * Does what the recipient or the mail server would do. An open or a click within two seconds of the sending counts as a
     * machine's, as everywhere. Messages of tests count nothing.
     */
    readonly simulate: (
      workspace: WorkspaceId,
      id: string,
      event: MailEvent,
      link: number | null,
    ) => Effect.Effect<void, NotFound | Invalid>
  }
>()("tentpole/LocalMails") {
  static readonly layer = Layer.effect(
    LocalMails,
    Effect.gen(function* () {
      const folder = yield* MailFolder
      const links = yield* Links
      const engagement = yield* EngagementStore
      const tracking = yield* Tracking
      const parsers = yield* Parsers
      const report = yield* reportRecorder

      const targetOf = ({ returnPath }: MailFile) => Option.getOrNull(links.readReturnPath(returnPath))

      const filesOf = Effect.fnUntraced(function* (workspace: WorkspaceId) {
        if (!folder.isUsed) return yield* notFound
        const files = yield* folder.list
        return files.filter((file) => targetOf(file)?.workspaceId === workspace)
      })

      const find = Effect.fnUntraced(function* (workspace: WorkspaceId, id: string) {
        const file = (yield* filesOf(workspace)).find((each) => each.id === id)
        return file ?? (yield* notFound)
      })

      const kindOf = (file: MailFile): Effect.Effect<MailKind> => {
        const target = targetOf(file)
        const [first, second] = file.feedbackId.split(":")
        if (target === null || first === "test") return Effect.succeed("test")
        if (second === "messages") return Effect.succeed("message")
        return engagement.get(target.workspaceId, target.deliveryId).pipe(
          Effect.map(({ flow }): MailKind => (flow === null ? "blast" : "flow")),
          // The blast was deleted.
          Effect.catch(() => Effect.succeed("blast" as const)),
        )
      }

      const withKind = (file: MailFile) => Effect.map(kindOf(file), (kind): LocalMail => ({ ...file, kind }))

      const read = Effect.fnUntraced(function* (id: string) {
        return (yield* folder.read(id)) ?? (yield* notFound)
      })

      const linksOf = (mail: ReadMail): ReadonlyArray<MailLink> =>
        mail.links.flatMap(({ href, text }) => {
          if (!href.startsWith(links.addresses.click)) return []
          const target = Option.getOrNull(links.readClick(href.slice(links.addresses.click.length)))
          return target === null ? [] : [{ index: target.index, url: href, text }]
        })

      const follow = (target: LinkTarget, link: number | null) =>
        link === null
          ? Effect.fail(Invalid.at("link_index", "is required for a click"))
          : tracking
              .clicked(links.of(target).token("click", link), person)
              .pipe(Effect.mapError(() => Invalid.at("link_index", "is not a link of this message")))

      return LocalMails.of({
        list: Effect.fn("LocalMails.list")(function* (
          workspace,
          { blastId, cursor, limit = page_limit_default, ...text },
        ) {
          const after = cursor === undefined ? null : yield* Effect.fromResult(decodeCursor(cursor, textId))
          const [to, subject] = [fold(text.to ?? ""), fold(text.subject ?? "")]
          const files = yield* filesOf(workspace)
          const start = after === null ? 0 : files.findIndex(({ id }) => id === after.id) + 1
          const found = Array.take(
            files
              .slice(start)
              .filter(
                (file) =>
                  fold(file.to).includes(to) &&
                  fold(file.subject).includes(subject) &&
                  (blastId === undefined || file.feedbackId.startsWith(`${blastId}:`)),
              ),
            limit + 1,
          )
          const slice = sliced(found, limit, ({ createdAt, id }) => ({ at: createdAt.epochMilliseconds, id }))
          return { ...slice, items: yield* Effect.forEach(slice.items, withKind) }
        }),

        get: Effect.fn("LocalMails.get")(function* (workspace, id) {
          const file = yield* withKind(yield* find(workspace, id))
          const mail = yield* parsers.run(localMailParser, yield* read(id), workspace)
          return { ...file, ...mail, links: linksOf(mail) }
        }),

        source: Effect.fn("LocalMails.source")(function* (workspace, id) {
          yield* find(workspace, id)
          return yield* read(id)
        }),

        deleteAll: Effect.fn("LocalMails.deleteAll")(function* (workspace) {
          yield* folder.delete((yield* filesOf(workspace)).map(({ id }) => id))
        }),

        simulate: Effect.fn("LocalMails.simulate")(function* (workspace, id, event, link) {
          const target = targetOf(yield* find(workspace, id))
          if (target === null) return yield* notFound
          const { deliveryId } = target
          const what = reports[event]
          if (what !== undefined) return yield* report(workspace, [{ deliveryId, what }])
          if (event === "click") yield* follow(target, link)
          else yield* tracking.opened(links.of(target).token("open", null), person)
          yield* tracking.written
        }),
      })
    }),
  )
}
