// The roles of members and keys, with what each may do.
import type { Role } from "../api/session.ts"
import { useWords } from "../words/Words.tsx"

const names: ReadonlyArray<Role> = ["viewer", "editor", "sender", "owner"]

export const isRole = (value: string | null): value is Role => names.some((name) => name === value)

export const useRoles = () => {
  const { roles: labels } = useWords("shell")
  const { roles: texts } = useWords("settings").members
  return names.map((value) => ({ value, label: labels[value], text: texts[value] }))
}
