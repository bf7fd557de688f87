// Verdicts of mail tools: signatures and structure by Python, points by SpamAssassin.
import { execFile, spawn } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { SentSample } from "./Outbox.ts"
import { tamperings } from "./Tampering.ts"

/** SpamAssassin's points: a message with 5 is spam. */
const points_max = 1
const isFault = (rule: string): boolean => /^(MIME_|MISSING_|INVALID_|HTML_IMAGE_ONLY_)/.test(rule)
/** SpamAssassin's client skips larger messages as well. */
const spam_size_bytes_max = 500 * 1024
const excused: ReadonlyMap<string, string> = new Map([
  ["no text in the HTML", "the message is an image: HTML_IMAGE_ONLY_"],
])

const run = promisify(execFile)

/** Reports all findings with `say`, and errors with `fault`. */
export interface Verdicts {
  readonly say: (line: string) => void
  readonly fault: (line: string) => void
}

/** Whether the command runs with these arguments. */
export const works = (command: string, ...args: ReadonlyArray<string>): Promise<boolean> =>
  run(command, args).then(
    () => true,
    () => false,
  )

/** The output of a command for this input. */
const answerOf = async (command: string, args: ReadonlyArray<string>, input: Buffer | string): Promise<string> => {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
  child.stdin.end(input)
  return text(child.stdout)
}

/** The output of second_opinion.py for a message. */
interface Reading {
  readonly signed: boolean
  readonly defects: ReadonlyArray<string>
  readonly subject: string
  readonly from: readonly [name: string, address: string]
  readonly to: string
  readonly types: ReadonlyArray<string>
  /** A part without text, or with characters that could not be decoded. */
  readonly blank: boolean
}

/** Writes the messages into a folder and checks them with Python. */
const askPython = async (
  python: string,
  txt: ReadonlyMap<string, string>,
  messages: ReadonlyArray<Buffer>,
  read: boolean,
): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "tentpole-mail-"))
  try {
    const paths = messages.map((_, at) => join(folder, `${at}.eml`))
    await Promise.all(messages.map((raw, at) => writeFile(paths[at] ?? "", raw)))
    const script = fileURLToPath(new URL("second_opinion.py", import.meta.url))
    const request = JSON.stringify({ txt: Object.fromEntries(txt), messages: paths, read })
    return await answerOf(python, [script], request)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Python 3.11 returns the line break between encoded words in names as a space, contrary to RFC 2047 §6.2. */
const withoutSpaces = (name: string): string => name.replace(/\s/g, "")

const readingFaults = (sample: SentSample["sample"], reading: Reading): ReadonlyArray<string> => {
  const isDefect = (each: string) => !(each.startsWith("NonASCIILocalPartDefect") && /[^\0-\x7f]/.test(sample.wireTo))
  const [name, address] = reading.from
  const read = [reading.subject, withoutSpaces(name), address, reading.to, ...reading.types]
  const { from_name, readsSubject, wireFrom, wireTo } = sample
  const structure = ["multipart/alternative", "text/plain", "text/html"]
  const wanted = [readsSubject, withoutSpaces(from_name), wireFrom, wireTo, ...structure]
  return [
    ...reading.defects.filter(isDefect),
    ...read.filter((each, at) => each !== wanted[at]).map((each) => `Python reads ${each}`),
    ...(reading.blank ? ["Python finds a part without text, or one it can't decode"] : []),
    ...(reading.signed ? [] : ["dkimpy does not verify the signature"]),
  ]
}

/** Checks signatures and structure with Python. */
export const judgeByPython = async (
  python: string,
  txt: ReadonlyMap<string, string>,
  sent: ReadonlyArray<SentSample>,
  { fault, say }: Verdicts,
) => {
  const whole = sent.map(({ raw }) => raw)
  const intact: ReadonlyArray<Reading> = JSON.parse(await askPython(python, txt, whole, true))
  for (const [at, { sample }] of sent.entries()) {
    const reading = intact[at]
    for (const each of reading === undefined ? ["Python returned nothing"] : readingFaults(sample, reading)) {
      fault(`${sample.name}: ${each}`)
    }
  }
  const changed = sent
    .filter(({ raw }) => raw.length < 100_000)
    .flatMap(({ raw, sample }) => tamperings(raw).map((each) => ({ ...each, name: sample.name })))
  const tampered = changed.map(({ raw }) => raw)
  const ofChanged: ReadonlyArray<Pick<Reading, "signed">> = JSON.parse(await askPython(python, txt, tampered, false))
  for (const [at, { name, what }] of changed.entries()) {
    if (ofChanged[at]?.signed !== false) fault(`${name}: dkimpy verifies it with ${what}`)
  }
  const verified = intact.filter(({ signed }) => signed).length
  const refused = ofChanged.filter(({ signed }) => !signed).length
  say(`dkimpy: ${verified} of ${sent.length} verified, ${refused} of ${changed.length} tampered with refused`)
}

/** Runs the local rules only, without network tests and learnt data. */
export const judgeBySpamAssassin = async (sent: ReadonlyArray<SentSample>, { fault, say }: Verdicts) => {
  let worst = -Infinity
  for (const { raw, sample } of sent) {
    if (raw.length > spam_size_bytes_max) {
      say(`SpamAssassin: ${sample.name} is larger than its limit`)
      continue
    }
    const options = ["--local", "--cf=use_bayes 0", "--cf=use_auto_welcomelist 0", "--nocreate-prefs"]
    const marked = await answerOf("spamassassin", options, raw)
    const status = /^X-Spam-Status:(.*(?:\r?\n[ \t].*)*)/m.exec(marked)?.[1]?.replace(/\s+/g, "") ?? ""
    const points = Number(/score=(-?[\d.]+)/.exec(status)?.[1] ?? Number.NaN)
    const rules = /tests=([\w,]*?)(autolearn|version|$)/.exec(status)?.[1]?.split(",") ?? []
    const excuse = excused.get(sample.name)
    const wrong = rules.filter((rule) => isFault(rule) && excuse?.includes(rule.replace(/\d+$/, "")) !== true)
    say(`SpamAssassin: ${points} for ${sample.name} (${rules.join(" ")})`)
    if (!(points <= points_max) || wrong.length > 0) fault(`${sample.name}: ${points} points, ${wrong.join(", ")}`)
    worst = Math.max(worst, points)
  }
  say(`SpamAssassin: worst of all ${worst}, at most ${points_max} are allowed`)
}
