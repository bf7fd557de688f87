// Runs mail tools on the samples: `npm run test:mail`, or on three of them: `npm run test:mail -- --quick`.
// Needs the Debian packages spamassassin and python3-dkim. Exits with 1 if anything is wrong or missing.
import { parseArgs, styleText } from "node:util"
import { judgeByPython, judgeBySpamAssassin, works } from "./Judges.ts"
import { sendSamples } from "./Outbox.ts"

const { quick } = parseArgs({ options: { quick: { type: "boolean", default: false } } }).values
const faults: Array<string> = []
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const fault = (line: string): void => {
  faults.push(line)
  say(styleText("red", line))
}

const pythons = ["python3", "/usr/bin/python3"]
const able = await Promise.all(pythons.map((each) => works(each, "-c", "import dkim")))
const python = pythons.find((_, at) => able[at])
const hasSpamAssassin = await works("spamassassin", "--version")
const install = (what: string) => fault(`${what} is not installed, so its check did not run: apt-get install ${what}`)
if (python === undefined) install("python3-dkim")
if (!hasSpamAssassin) install("spamassassin")

const outbox = await sendSamples()
try {
  const sent = quick ? outbox.sent.slice(0, 3) : outbox.sent
  if (python !== undefined) await judgeByPython(python, outbox.txt, sent, { fault, say })
  if (hasSpamAssassin) await judgeBySpamAssassin(sent, { fault, say })
} finally {
  await outbox.close()
}
say(faults.length === 0 ? styleText("green", "no faults") : styleText("red", `${faults.length} are wrong`))
if (faults.length > 0) process.exitCode = 1
