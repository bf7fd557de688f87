// The versions: who made each, what it changed, and the way back.
import { Button, Group, Modal, NavLink, ScrollArea, Skeleton, Stack, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { lazy, Suspense, useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { queryOf } from "../../api/queries.ts"
import { useFormat } from "../../format.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { Time } from "../../parts/Time.tsx"
import { useSession } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import type { Kind, Written } from "../written.ts"
import { contentOf, designedOf, paramsOf } from "./calls.ts"

const CodeDiff = lazy(async () => ({ default: (await import("../../parts/code/CodeDiff.tsx")).CodeDiff }))

/** Versions that are listed. */
const versions_max = 100

interface Props {
  readonly kind: Kind
  readonly written: Written
  readonly onClose: () => void
}

interface DiffProps {
  readonly kind: Kind
  readonly id: string
  readonly before: number
  readonly after: number
}

const Diff = ({ after, before, id, kind }: DiffProps) => {
  const words = useWords("emails")
  const old = useQuery(contentOf(kind, id, before))
  const current = useQuery(contentOf(kind, id, after))
  const error = old.error ?? current.error
  if (error !== null) return <Problem error={error} />
  if (old.data === undefined || current.data === undefined) return <Skeleton h={360} />
  return (
    <Suspense fallback={<Skeleton h={360} />}>
      <CodeDiff
        before={{ label: words.versionShort(before), text: old.data }}
        after={{ label: words.versionShort(after), text: current.data }}
      />
    </Suspense>
  )
}

interface ListProps {
  readonly kind: Kind
  readonly written: Written
  readonly chosen: number
  readonly onChoose: (version: number) => void
}

const VersionList = ({ chosen, kind, onChoose, written }: ListProps) => {
  const words = useWords("emails")
  const { bytes } = useFormat()
  const { version: current } = written
  const listed = useQuery(queryOf(kind, "versions", { params: paramsOf(written.id), query: { limit: versions_max } }))
  return (
    <ScrollArea.Autosize mah={480} type="auto" aria-label={words.versions}>
      {listed.isPending && <Skeleton h={200} />}
      {listed.isError && <Problem error={listed.error} onRetry={listed.refetch} />}
      {listed.data?.versions.map(({ approved, by_name, bytes: size, created_at, made_by, version }) => (
        <NavLink
          key={version}
          component="button"
          type="button"
          active={version === chosen}
          aria-current={version === chosen}
          label={
            <>
              {words.versionShort(version)}
              {version === current && ` · ${words.current}`}
              {approved && ` · ${words.states.approved}`}
            </>
          }
          description={
            <>
              {words.madeBy[made_by](by_name)} · <Time at={created_at} as="relative" /> · {bytes(size)}
            </>
          }
          onClick={() => onChoose(version)}
        />
      ))}
    </ScrollArea.Autosize>
  )
}

export const Versions = ({ kind, onClose, written }: Props) => {
  const words = useWords("emails")
  const shell = useWords("shell")
  const { may } = useSession()
  const params = paramsOf(written.id)
  const { version: current } = written
  const [chosen, setChosen] = useState(Math.max(1, current - 1))
  // With its design: a version that was written with blocks stays one.
  const old = useQuery(designedOf(kind, written.id, chosen))
  const restore = useMutationOf(kind, "setContent", { done: () => words.restored(chosen), onDone: onClose })
  const isOld = chosen !== current
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.versions}
      size="90rem"
      closeButtonProps={{ "aria-label": shell.close }}
    >
      <div className="versions">
        <VersionList kind={kind} written={written} chosen={chosen} onChoose={setChosen} />
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            {isOld ? words.compared(chosen, current) : words.comparedNone}
          </Text>
          {isOld && <Diff kind={kind} id={written.id} before={chosen} after={current} />}
        </Stack>
      </div>
      {restore.isError && <Problem error={restore.error} />}
      <Group justify="space-between" mt="md">
        <CurlButton
          call={
            kind === "emails"
              ? ["emails", "versions", { params: { emailId: written.id } }]
              : [kind, "versions", { params: { templateId: written.id } }]
          }
        />
        <Group gap="xs">
          {may("editor") && isOld && (
            <Button
              variant="default"
              loading={restore.isPending}
              disabled={old.data === undefined}
              onClick={() => {
                if (old.data === undefined) return
                const { design, html } = old.data
                restore.mutate({ params, payload: { html, design } })
              }}
            >
              {words.restore(chosen)}
            </Button>
          )}
          <Button onClick={onClose}>{words.keep(current)}</Button>
        </Group>
      </Group>
    </Modal>
  )
}
