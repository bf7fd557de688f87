// All parsers of core. The threads of an adapter find a parser by its name.
import { returnedMailParser } from "./bounces/ReturnedMail.ts"
import { pageDangers } from "./documents/Clean.ts"
import { emailDangers } from "./documents/EmailDangers.ts"
import { issueParser, linkParser } from "./emails/EmailIssues.ts"
import { formParser } from "./forms/Form.ts"
import { refusedFormParser } from "./forms/RefusedForm.ts"
import { localMailParser } from "./operations/localMail/LocalMail.ts"
import { contentTypeParser } from "./ports/ContentType.ts"
import { base64Parser } from "./messages/Attachments.ts"
import type { AnyParser } from "./ports/Parsers.ts"
import { compileParser } from "./rendering/Compile.ts"
import { preheaderParser } from "./rendering/Markup.ts"
import { tokenParser } from "./rendering/MergeTokens.ts"
import { plainTextParser } from "./rendering/PlainText.ts"
import { picturesParser } from "./tents/assets/PageAssets.ts"
import { withDataParser, withoutPicturesParser } from "./tents/assets/PagePictures.ts"
import { publishedParser, successUrlParser } from "./tents/pages/PageDocument.ts"
import { headParser } from "./tents/pages/PageHead.ts"

export const coreParsers: ReadonlyArray<AnyParser> = [
  base64Parser,
  compileParser,
  contentTypeParser,
  emailDangers,
  formParser,
  refusedFormParser,
  headParser,
  localMailParser,
  issueParser,
  linkParser,
  pageDangers,
  picturesParser,
  withDataParser,
  withoutPicturesParser,
  plainTextParser,
  preheaderParser,
  publishedParser,
  returnedMailParser,
  successUrlParser,
  tokenParser,
]
