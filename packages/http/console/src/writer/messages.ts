// The messages between the console and the frame of the block editor. The frame has no origin, so each side checks the other's.

/** A longer message is not believed. */
const message_length_max = 4_000_000

/** The name under which designs are stored. */
export const editor_name = "react-email"

/** Blocks that the toolbar inserts, in its order. */
export const blocks = [
  "text",
  "title",
  "heading",
  "bullets",
  "numbers",
  "quote",
  "button",
  "divider",
  "section",
  "columns",
] as const

export type Block = (typeof blocks)[number]

export interface WriterWords {
  readonly toolbar: string
  readonly picture: string
  readonly pictureAddress: string
  readonly insert: string
  readonly blocks: Readonly<Record<Block, string>>
}

/** What the console sends after the frame is loaded, and when the email changed elsewhere. */
export interface ToWriter {
  /** The editor's own document; null: the HTML is turned into blocks. */
  readonly document: unknown
  readonly html: string
  readonly isReadOnly: boolean
  readonly words: WriterWords
}

export interface Written {
  readonly html: string
  readonly document: unknown
}

export interface FromWriter {
  /** Null: nothing new. */
  readonly written: Written | null
  /** The person asked to save. */
  readonly save: boolean
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Null: not a message of the frame. */
export const fromWriter = (data: unknown): FromWriter | null => {
  if (!isRecord(data) || typeof data["save"] !== "boolean") return null
  const { save, written } = data
  if (written === null) return { written, save }
  if (!isRecord(written) || typeof written["html"] !== "string" || !isRecord(written["document"])) return null
  const { document, html } = written
  return html.length + JSON.stringify(document).length > message_length_max
    ? null
    : { written: { html, document }, save }
}
