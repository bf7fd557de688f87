// The choice of a role, with what each may do.
import { Radio, Stack } from "@mantine/core"
import type { Role } from "../api/session.ts"
import { isRole, useRoles } from "./roles.ts"

interface Props {
  readonly label: string
  readonly value: Role
  readonly onChange: (role: Role) => void
}

export const RoleField = ({ label, onChange, value }: Props) => {
  const roles = useRoles()
  return (
    <Radio.Group
      label={label}
      value={value}
      onChange={(next) => {
        if (isRole(next)) onChange(next)
      }}
    >
      <Stack gap={6} mt={6}>
        {roles.map((role) => (
          <Radio key={role.value} value={role.value} label={role.label} description={role.text} size="sm" />
        ))}
      </Stack>
    </Radio.Group>
  )
}
