// The versions of a page: who made each, how it looks, what differs, and the way back.
import { Box, Button, Group, Modal, NavLink, ScrollArea, SegmentedControl, Skeleton, Stack, Text } from "@mantine/core"
import type { Tent } from "@tentpole/client"
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
import { contentOf, PageFrame } from "./PagePreview.tsx"

const CodeDiff = lazy(async () => ({ default: (await import("../../parts/code/CodeDiff.tsx")).CodeDiff }))

/** Versions that are listed. */
const versions_max = 100
const place_px = 420

interface ListProps {
  readonly tent: Tent
  readonly chosen: number
  readonly onChoose: (version: number) => void
}

const VersionList = ({ chosen, onChoose, tent }: ListProps) => {
  const words = useWords("tents")
  const { bytes } = useFormat()
  const query = { limit: versions_max }
  const listed = useQuery(queryOf("tents", "versions", { params: { tentId: tent.id }, query }))
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
              {words.version(version)}
              {version === tent.current_version && ` · ${words.current}`}
              {approved && ` · ${words.states.published}`}
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

interface ShownProps {
  readonly tent: Tent
  readonly version: number
  readonly isCode: boolean
}

/** The chosen version as a page, or its code beside the current one. */
const Shown = ({ isCode, tent, version }: ShownProps) => {
  const words = useWords("tents")
  const old = useQuery(contentOf(tent.id, version))
  const current = useQuery(contentOf(tent.id, tent.current_version))
  const error = old.error ?? current.error
  if (error !== null) return <Problem error={error} />
  if (old.data === undefined || current.data === undefined) return <Skeleton h={place_px} />
  if (!isCode) return <PageFrame html={old.data} isPhone={false} hasPictures={false} height_px={place_px} />
  return (
    <Suspense fallback={<Skeleton h={place_px} />}>
      <CodeDiff
        before={{ label: words.version(version), text: old.data }}
        after={{ label: words.version(tent.current_version), text: current.data }}
      />
    </Suspense>
  )
}

interface Props {
  readonly tent: Tent
  readonly onClose: () => void
}

export const Versions = ({ onClose, tent }: Props) => {
  const words = useWords("tents")
  const shell = useWords("shell")
  const { may } = useSession()
  const [chosen, setChosen] = useState(tent.current_version)
  const [view, setView] = useState("page")
  const params = { tentId: tent.id, n: chosen }
  const restore = useMutationOf("tents", "restore", { done: () => words.restored(chosen), onDone: onClose })
  const isOld = chosen !== tent.current_version
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.versions}
      size="90rem"
      closeButtonProps={{ "aria-label": shell.close }}
    >
      <div className="versions">
        <VersionList tent={tent} chosen={chosen} onChoose={setChosen} />
        <Stack gap="sm">
          <Group gap="sm">
            <SegmentedControl
              size="xs"
              aria-label={words.showAs}
              value={view}
              data={[
                { value: "page", label: words.tabs.page },
                { value: "code", label: words.tabs.code },
              ]}
              onChange={setView}
            />
            {view === "code" && (
              <Text size="sm" c="dimmed">
                {isOld ? words.compared(chosen, tent.current_version) : words.comparedNone}
              </Text>
            )}
          </Group>
          <Shown tent={tent} version={chosen} isCode={view === "code"} />
        </Stack>
      </div>
      {restore.isError && (
        <Box mt="sm">
          <Problem error={restore.error} />
        </Box>
      )}
      <Group justify="space-between" mt="md">
        <CurlButton call={isOld ? ["tents", "restore", { params }] : ["tents", "versions", { params }]} />
        {may("editor") && isOld && (
          <Button loading={restore.isPending} onClick={() => restore.mutate({ params })}>
            {words.restore(chosen)}
          </Button>
        )}
      </Group>
    </Modal>
  )
}
