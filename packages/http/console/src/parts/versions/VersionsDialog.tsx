// The versions of an email, a template or a page: who made each, what it shows, and the way back to it.
import { Button, Group, NavLink, ScrollArea, Skeleton, Stack } from "@mantine/core"
import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { useFormat } from "../../format.ts"
import { useSession } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import { Modal } from "../dialogs/Modal.tsx"
import { Problem } from "../Problem.tsx"
import { Time } from "../Time.tsx"

/** Versions that are listed. */
export const versions_max = 100

interface Version {
  readonly version: number
  readonly made_by: "upload" | "generation" | "template"
  readonly by_name: string
  readonly bytes: number
  readonly approved: boolean
  readonly created_at: string
}

interface ListProps {
  readonly listed: UseQueryResult<{ readonly versions: ReadonlyArray<Version> }>
  readonly current: number
  /** The state of the version that is approved or published. */
  readonly approved: string
  readonly chosen: number
  readonly onChoose: (version: number) => void
}

const VersionList = ({ approved, chosen, current, listed, onChoose }: ListProps) => {
  const words = useWords("shell").versions
  const { bytes } = useFormat()
  return (
    <ScrollArea.Autosize mah={480} type="auto" role="group" aria-label={words.title}>
      {listed.isPending && <Skeleton h={200} />}
      {listed.isError && <Problem error={listed.error} onRetry={listed.refetch} />}
      {listed.data?.versions.map((each) => (
        <NavLink
          key={each.version}
          component="button"
          type="button"
          active={each.version === chosen}
          aria-current={each.version === chosen}
          label={
            <>
              {words.name(each.version)}
              {each.version === current && ` · ${words.current}`}
              {each.approved && ` · ${approved}`}
            </>
          }
          description={
            <>
              {words.madeBy[each.made_by](each.by_name)} · <Time at={each.created_at} as="relative" /> ·{" "}
              {bytes(each.bytes)}
            </>
          }
          onClick={() => onChoose(each.version)}
        />
      ))}
    </ScrollArea.Autosize>
  )
}

interface Props extends ListProps {
  /** The chosen version. */
  readonly children: ReactNode
  readonly curl: ReactNode
  readonly restore: { readonly isPending: boolean; readonly error: Error | null }
  /** null: the version is being read. */
  readonly onRestore: (() => void) | null
  readonly onClose: () => void
}

export const VersionsDialog = ({ children, curl, onClose, onRestore, restore, ...list }: Props) => {
  const shell = useWords("shell")
  const { may } = useSession()
  return (
    <Modal
      opened
      onClose={onClose}
      title={shell.versions.title}
      size="90rem"
      closeButtonProps={{ "aria-label": shell.close }}
    >
      <Stack>
        <div className="versions">
          <VersionList {...list} />
          <Stack gap="sm">{children}</Stack>
        </div>
        {restore.error !== null && <Problem error={restore.error} />}
        <Group justify="space-between">
          {curl}
          {may("editor") && list.chosen !== list.current && (
            <Button loading={restore.isPending} disabled={onRestore === null} onClick={() => onRestore?.()}>
              {shell.versions.restore(list.chosen)}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}
