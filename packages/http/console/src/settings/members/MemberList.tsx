// The members of the workspace with their roles, open invitations, and four eyes.
import { Button, NativeSelect, Paper, Stack, Switch } from "@mantine/core"
import type { Admin } from "@tentpole/client"
import { lazy, Suspense, useState } from "react"
import { useAdminMutationOf } from "../../api/mutations.ts"
import { useAdminCursor } from "../../api/rows.ts"
import type { Role } from "../../api/session.ts"
import { CrossIcon, PlusIcon } from "../../Icons.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { type Column, DataTable } from "../../parts/table/DataTable.tsx"
import { RowAction } from "../../parts/table/RowAction.tsx"
import { Time } from "../../parts/Time.tsx"
import { useSession } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import { InvitationList } from "./InvitationList.tsx"
import { isRole, useRoles } from "../roles.ts"
import { Section } from "../Section.tsx"
import { useSettings, useWorkspaceParams } from "../useSettings.ts"

const InviteMember = lazy(async () => ({ default: (await import("./InviteMember.tsx")).InviteMember }))

type Member = Admin.Member

interface RoleProps {
  readonly member: Member
  readonly isPending: boolean
  readonly onRole: (member: Member, role: Role) => void
}

/** The role of a member, which is changed in its place. */
const RoleSelect = ({ isPending, member, onRole }: RoleProps) => {
  const words = useWords("settings").members
  const roles = useRoles()
  return (
    <NativeSelect
      size="xs"
      w={130}
      aria-label={words.roleOf(member.name)}
      data={roles.map(({ label, value }) => ({ label, value }))}
      value={member.role}
      disabled={isPending}
      onChange={({ currentTarget: { value } }) => {
        if (isRole(value)) onRole(member, value)
      }}
    />
  )
}

const useColumns = (role: Omit<RoleProps, "member">): ReadonlyArray<Column<Member>> => {
  const words = useWords("settings").members
  const { user } = useSession().session
  return [
    {
      key: "name",
      label: words.name,
      width: "minmax(8rem, 1.5fr)",
      cell: ({ name, user_id }) => (user_id === user.user_id ? `${name} (${words.you})` : name),
    },
    { key: "email", label: words.email, width: "minmax(9rem, 2fr)", cell: ({ email }) => email },
    {
      key: "role",
      label: words.role,
      width: "8.25rem",
      isOnPhone: true,
      cell: (member) => <RoleSelect {...role} member={member} />,
    },
    {
      key: "seen",
      label: words.seen,
      width: "7rem",
      isOnPhone: true,
      isLabelled: true,
      cell: ({ seen_at }) => (seen_at === null ? words.never : <Time at={seen_at} as="relative" />),
    },
    {
      key: "since",
      label: words.since,
      width: "6.5rem",
      cell: ({ created_at }) => <Time at={created_at} as="date" />,
    },
  ]
}

const RemoveMember = ({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) => {
  const words = useWords("settings").members
  const params = { ...useWorkspaceParams(), user_id: member.user_id }
  const remove = useAdminMutationOf("members", "remove", { done: () => words.removed(member.name), onDone: onClose })
  return (
    <Confirm
      title={words.removeTitle(member.name)}
      text={words.removeText}
      action={words.removeAction}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ params })}
      onClose={onClose}
    />
  )
}

const FourEyes = () => {
  const words = useWords("settings").members
  const params = useWorkspaceParams()
  const settings = useSettings()
  const change = useAdminMutationOf("workspaces", "update", {
    done: ({ four_eyes }) => (four_eyes ? words.fourEyesOn : words.fourEyesOff),
  })
  if (settings.data === undefined) return null
  return (
    <Paper p="md">
      <Switch
        label={words.fourEyes}
        description={words.fourEyesText}
        checked={settings.data.four_eyes}
        disabled={change.isPending}
        onChange={({ currentTarget }) => change.mutate({ params, payload: { four_eyes: currentTarget.checked } })}
      />
      {change.isError && <Problem error={change.error} />}
    </Paper>
  )
}

export const MemberList = () => {
  const { members: words, sections } = useWords("settings")
  const shell = useWords("shell")
  const { session } = useSession()
  const params = useWorkspaceParams()
  const [isInviting, setInviting] = useState(false)
  const [removed, setRemoved] = useState<Member | null>(null)
  const rows = useAdminCursor("members", "list", { params })
  const change = useAdminMutationOf("members", "update", {
    done: ({ name, role }) => words.changed(name, shell.roles[role]),
    // Another role of one's own shows other screens.
    onDone: ({ user_id }) => {
      if (user_id === session.user.user_id) location.reload()
    },
  })
  const columns = useColumns({
    isPending: change.isPending,
    onRole: ({ user_id }, role) => change.mutate({ params: { ...params, user_id }, payload: { role } }),
  })
  return (
    <Section
      name="members"
      text={words.text}
      isWide
      actions={
        <>
          <CurlButton call={["admin.members", "list", { params }]} />
          <Button leftSection={<PlusIcon size={16} />} onClick={() => setInviting(true)}>
            {words.invite}
          </Button>
        </>
      }
    >
      <Stack>
        {rows.error !== null && <Problem error={rows.error} onRetry={rows.refetch} />}
        {change.isError && <Problem error={change.error} />}
        <DataTable
          isTall
          label={sections.members}
          rows={rows}
          columns={columns}
          keyOf={({ user_id }) => user_id}
          nameOf={({ name }) => name}
          actions={(member) => (
            <RowAction
              label={words.remove}
              of={member.name}
              icon={<CrossIcon size={16} />}
              onClick={() => setRemoved(member)}
            />
          )}
        />
        <InvitationList />
        <FourEyes />
      </Stack>
      {removed !== null && <RemoveMember member={removed} onClose={() => setRemoved(null)} />}
      {isInviting && (
        <Suspense fallback={null}>
          <InviteMember onClose={() => setInviting(false)} />
        </Suspense>
      )}
    </Section>
  )
}
