// The parsers that a thread can run, by name.
import { coreParsers } from "@tentpole/core/Parsers"
import type { AnyParser } from "@tentpole/core/ports/Parsers"
import { emailAnswers, pageAnswers } from "../ai/Answers.ts"
import { fakeColumns, fakeEmails, fakeIntents, fakePages, fakeRevisions } from "../ai/fake/FakeAi.ts"
import { emailCleaner, pageCleaner } from "../ai/html/SanitizeHtml.ts"

const all: ReadonlyArray<AnyParser> = [
  ...coreParsers,
  emailAnswers,
  emailCleaner,
  fakeColumns,
  fakeEmails,
  fakeIntents,
  fakePages,
  fakeRevisions,
  pageAnswers,
  pageCleaner,
]

export const parsersByName: ReadonlyMap<string, AnyParser> = new Map(all.map((parser) => [parser.name, parser]))
