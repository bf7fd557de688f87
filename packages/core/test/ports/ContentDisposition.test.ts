import { attachment } from "@tentpole/core/ports/ContentDisposition"
import { assert, it } from "@effect/vitest"
import { Schema } from "effect"

it("Content-Disposition has a plain name as it is, and a substitute beside the encoded form of others", () => {
  assert.strictEqual(attachment("list 1.csv"), 'attachment; filename="list 1.csv"')
  assert.strictEqual(
    attachment("Größe €.csv"),
    "attachment; filename=\"Gr__e _.csv\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%E2%82%AC.csv",
  )
  assert.strictEqual(
    attachment('a"b\\c/../d.csv'),
    "attachment; filename=\"a_b_c_.._d.csv\"; filename*=UTF-8''a%22b_c_.._d.csv",
  )
  assert.strictEqual(attachment("a\r\nSet-Cookie: x"), 'attachment; filename="a_Set-Cookie: x"')
  assert.strictEqual(attachment("a\u202efdp.csv"), 'attachment; filename="a_fdp.csv"')
  assert.strictEqual(attachment(""), "attachment; filename=\"file\"; filename*=UTF-8''")
})

it.prop(
  "Content-Disposition cannot be ended by a name",
  [Schema.String],
  ([name]) => {
    const header = attachment(name)
    assert.match(header, /^[\x20-\x7e]+$/)
    assert.match(header, /^attachment; filename="[^"]+"(; filename\*=UTF-8''[^"; ]*)?$/)
  },
  { tags: ["attack/file-name"] },
)
