// Tests of the choice of passwords.
import { checkPassword } from "@tentpole/core/accounts/Password"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const isTaken = (password: string) => Result.isSuccess(checkPassword("password", password))

describe("a password", () => {
  it("has 12 to 200 characters of any kind", () => {
    assert.deepStrictEqual(["a".repeat(11), "b".repeat(12), "😀".repeat(200), "c".repeat(201)].map(isTaken), [
      false,
      true,
      true,
      false,
    ])
  })

  it("is not a common one, in any case", () => {
    assert.deepStrictEqual(["qwertyuiop123", "QwertyUiop123", "qwertyuiop1234567"].map(isTaken), [false, false, true])
  })
})
