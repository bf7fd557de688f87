// `MailFolder` over the folder of `MailLog`. The beginnings of files are read once: a file never changes.
import { local_mails_max, type MailFile, MailFolder } from "@tentpole/core/operations/localMail/MailFolder"
import { DateTime, Effect, Layer } from "effect"
import { open, readdir, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import PostalMime from "postal-mime"

/** Headers are at the beginning. Those of a message are far shorter. */
const head_bytes = 16_384
/** Files that are read at a time. */
const reads_max = 16

const namePattern = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z_.*_([0-9a-f]{8})\.eml$/

/** `2026-11-25T22-44-57-123Z-ab12cd34`: without the address, because ids are part of URLs. */
const idOf = (name: string): string | null => {
  const [, day = "", hour = "", minute = "", second = "", ms = "", random = ""] = namePattern.exec(name) ?? []
  return random === "" ? null : `${day}T${hour}-${minute}-${second}-${ms}Z-${random}`
}

const timeOf = (id: string): DateTime.Utc =>
  DateTime.makeUnsafe(`${id.slice(0, 10)}T${id.slice(11, 19).replaceAll("-", ":")}.${id.slice(20, 23)}Z`)

interface Named {
  readonly id: string
  readonly name: string
}

/** Newest first. The names begin with the time. */
const namesIn = async (folder: string): Promise<ReadonlyArray<Named>> => {
  const names = await readdir(folder).catch((): ReadonlyArray<string> => [])
  return names
    .flatMap((name) => {
      const id = idOf(name)
      return id === null ? [] : [{ id, name }]
    })
    .sort((left, right) => (left.name < right.name ? 1 : -1))
    .slice(0, local_mails_max)
}

/** The head of a file; null when it was deleted meanwhile. */
const headOf = async (folder: string, { id, name }: Named): Promise<MailFile | null> => {
  const file = await open(join(folder, name)).catch(() => null)
  if (file === null) return null
  try {
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(head_bytes, size)), 0)
    const head = buffer.subarray(0, bytesRead)
    const end = head.indexOf("\r\n\r\n")
    const { headers, subject = "" } = await PostalMime.parse(end < 0 ? head : head.subarray(0, end + 4))
    const header = (key: string) => headers.find((each) => each.key === key)?.value ?? ""
    return {
      id,
      createdAt: timeOf(id),
      returnPath: header("return-path").replace(/^<|>$/g, ""),
      to: header("delivered-to"),
      from: header("from"),
      subject,
      feedbackId: header("feedback-id"),
      size_bytes: size,
    }
  } finally {
    await file.close()
  }
}

export const layer = (folder: string) =>
  Layer.sync(MailFolder, () => {
    const heads = new Map<string, MailFile>()

    const list = async (): Promise<ReadonlyArray<MailFile>> => {
      const names = await namesIn(folder)
      const present = new Set(names.map(({ id }) => id))
      for (const id of heads.keys()) if (!present.has(id)) heads.delete(id)
      const unread = names.filter(({ id }) => !heads.has(id))
      for (let at = 0; at < unread.length; at += reads_max) {
        const read = await Promise.all(unread.slice(at, at + reads_max).map((named) => headOf(folder, named)))
        for (const head of read) if (head !== null) heads.set(head.id, head)
      }
      return names.flatMap(({ id }) => heads.get(id) ?? [])
    }

    const pathOf = async (id: string): Promise<string | null> => {
      const found = (await namesIn(folder)).find((each) => each.id === id)
      return found === undefined ? null : join(folder, found.name)
    }

    const read = async (id: string): Promise<Uint8Array | null> => {
      const path = await pathOf(id)
      return path === null ? null : readFile(path).catch(() => null)
    }

    const remove = async (ids: ReadonlyArray<string>): Promise<void> => {
      const wanted = new Set(ids)
      const names = (await namesIn(folder)).filter(({ id }) => wanted.has(id))
      await Promise.all(names.map(({ name }) => rm(join(folder, name), { force: true })))
    }

    return {
      isUsed: true,
      list: Effect.promise(list),
      read: (id) => Effect.promise(() => read(id)),
      delete: (ids) => Effect.promise(() => remove(ids)),
    }
  })
