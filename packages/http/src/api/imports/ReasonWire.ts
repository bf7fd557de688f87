// The schema of the reasons of an import's preview, as codes.
import { reasonCodes } from "@tentpole/core/imports/mapping/Reasons"
import { Schema } from "effect"
import { oneOf } from "../../Wire.ts"

export const reasonsField = Schema.Array(
  Schema.Struct({
    code: oneOf(...reasonCodes),
    values: Schema.Array(Schema.String).annotate({
      description: "What the sentence names, in its order: columns, fields, types, numbers or notations",
    }),
  }).annotate({ identifier: "ImportReason" }),
).annotate({ description: "The sentences of `reason`, for programs and translations" })
