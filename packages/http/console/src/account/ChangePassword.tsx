// The form of a new password. It ends all other sessions of the person. A person without a password sets the first one.
import { Button, Group, PasswordInput, Stack } from "@mantine/core"
import { useForm } from "@mantine/form"
import { useEffect } from "react"
import { useAccountsMutationOf } from "../api/mutations.ts"
import { fieldErrors } from "../api/problems.ts"
import { Problem } from "../parts/Problem.tsx"
import { useSession } from "../session.tsx"
import { useWords } from "../words/Words.tsx"

const fields = ["current_password", "password"]

export const ChangePassword = () => {
  const words = useWords("account")
  const { onSession, session } = useSession()
  const { email, has_password } = session.user
  const form = useForm({ initialValues: { current_password: "", password: "" } })
  const save = useAccountsMutationOf("user", "update", {
    done: () => words.passwordSaved,
    onDone: (next) => {
      form.reset()
      onSession(next)
    },
  })
  const { setErrors } = form
  const { errors, rest } = fieldErrors(save.error, fields)
  useEffect(() => {
    setErrors(fieldErrors(save.error, fields).errors)
  }, [save.error, setErrors])
  const toggle = { "aria-label": words.passwordShow, tabIndex: 0 }
  return (
    <form
      onSubmit={form.onSubmit(({ current_password, password }) =>
        save.mutate({ payload: has_password ? { current_password, password } : { password } }),
      )}
    >
      <Stack>
        {/* Password managers store the new password under this name. */}
        <input type="text" autoComplete="username" value={email} readOnly hidden />
        {has_password && (
          <PasswordInput
            label={words.currentPassword}
            autoComplete="current-password"
            required
            visibilityToggleButtonProps={toggle}
            {...form.getInputProps("current_password")}
          />
        )}
        <PasswordInput
          label={words.newPassword}
          description={words.passwordText}
          autoComplete="new-password"
          minLength={12}
          required
          visibilityToggleButtonProps={toggle}
          {...form.getInputProps("password")}
        />
        {save.isError && Object.keys(errors).length === 0 && <Problem error={save.error} issues={rest} />}
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
            {has_password ? words.passwordChange : words.passwordSet}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
