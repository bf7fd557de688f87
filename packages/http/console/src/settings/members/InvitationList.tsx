// The open invitations of the workspace, which can be withdrawn.
import { Text } from "@mantine/core"
import type { Admin } from "@tentpole/client"
import { useAdminMutationOf } from "../../api/mutations.ts"
import { useAdminCursor } from "../../api/rows.ts"
import { CrossIcon } from "../../Icons.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { type Column, DataTable } from "../../parts/table/DataTable.tsx"
import { RowAction } from "../../parts/table/RowAction.tsx"
import { Time } from "../../parts/Time.tsx"
import { useWords } from "../../words/Words.tsx"
import { useWorkspaceParams } from "../useSettings.ts"

const useColumns = (): ReadonlyArray<Column<Admin.Invitation>> => {
  const words = useWords("settings").members
  const { roles } = useWords("shell")
  return [
    { key: "email", label: words.email, width: "minmax(11rem, 2fr)", cell: ({ email }) => email },
    { key: "role", label: words.role, width: "9rem", isOnPhone: true, cell: ({ role }) => roles[role] },
    {
      key: "expires",
      label: words.expires,
      width: "9rem",
      isOnPhone: true,
      isLabelled: true,
      cell: ({ expires_at }) => <Time at={expires_at} as="relative" />,
    },
  ]
}

export const InvitationList = () => {
  const words = useWords("settings").members
  const params = useWorkspaceParams()
  const rows = useAdminCursor("invitations", "list", { params })
  const columns = useColumns()
  const withdraw = useAdminMutationOf("invitations", "remove")
  if (rows.total === 0) return null
  return (
    <section aria-label={words.invitations}>
      <Text component="h2" fw={600} size="sm" m={0} mb="xs">
        {words.invitations}
      </Text>
      {withdraw.isError && <Problem error={withdraw.error} />}
      <DataTable
        label={words.invitations}
        rows={rows}
        columns={columns}
        keyOf={({ invitation_id }) => invitation_id}
        nameOf={({ email }) => email}
        actions={({ email, invitation_id }) => (
          <RowAction
            label={words.withdraw}
            of={email}
            icon={<CrossIcon size={16} />}
            onClick={() => withdraw.mutate({ params: { ...params, invitation_id } })}
          />
        )}
      />
    </section>
  )
}
