// Tests of names of custom fields in the API.
import { assert, it } from "vitest"
import { apiNameOf } from "../../../src/settings/fields/apiName.ts"

it("makes names of labels", () => {
  const labels = ["Birth day", "Größe (cm)", "2nd", "Город", "a".repeat(80)]
  assert.deepStrictEqual(labels.map(apiNameOf), ["birth_day", "grosse_cm", "field_2nd", "", "a".repeat(60)])
})
