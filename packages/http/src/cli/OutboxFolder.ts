// The mails in `DATA_DIR/outbox`, where the service writes them when no mail server is set. Newest first.
import type { Configuration } from "@tentpole/adapters/Configuration"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import PostalMime, { type Email } from "postal-mime"

export interface OutboxMail {
  readonly path: string
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly date: string | null
  readonly text: string
  readonly html: string
}

/** Without control characters, which could move the cursor of a terminal. */
const printable = (text: string): string => text.replace(/\r\n?/g, "\n").replace(/[^\P{Cc}\n\t]/gu, "")

const headerOf = ({ headers }: Email, name: string): string => headers.find(({ key }) => key === name)?.value ?? ""

/** The paths of the mails. The names of the files begin with the time. */
export const outboxPaths = async ({ dataDir }: Configuration): Promise<ReadonlyArray<string>> => {
  const folder = join(dataDir, "outbox")
  const names = await readdir(folder).catch((): ReadonlyArray<string> => [])
  return names
    .filter((name) => name.endsWith(".eml") && !name.startsWith("."))
    .toSorted()
    .toReversed()
    .map((name) => join(folder, name))
}

export const readMail = async (path: string): Promise<OutboxMail> => {
  const email = await PostalMime.parse(await readFile(path))
  return {
    path,
    from: printable(headerOf(email, "from")),
    to: printable(headerOf(email, "delivered-to")),
    subject: printable(email.subject ?? ""),
    date: email.date ?? null,
    text: printable(email.text ?? ""),
    html: email.html ?? "",
  }
}

/** A mail as a person reads it. */
export const readable = ({ from, path, subject, text, to }: OutboxMail): string =>
  [`From     ${from}`, `To       ${to}`, `Subject  ${subject}`, `File     ${path}`, "", text.trim(), ""].join("\n")
