// The versions of a page: how each looks, what differs, and the way back.
import { Group, SegmentedControl, Skeleton } from "@mantine/core"
import type { Tent } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { queryOf } from "../../api/queries.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { Compared } from "../../parts/versions/Compared.tsx"
import { versions_max, VersionsDialog } from "../../parts/versions/VersionsDialog.tsx"
import { useWords } from "../../words/Words.tsx"
import { contentOf, PageFrame } from "./PagePreview.tsx"

const place_px = 420

const Page = ({ id, version }: { readonly id: string; readonly version: number }) => {
  const { data, error, refetch } = useQuery(contentOf(id, version))
  if (error !== null) return <Problem error={error} onRetry={refetch} />
  if (data === undefined) return <Skeleton h={place_px} />
  return <PageFrame html={data} isPhone={false} hasPictures={false} height_px={place_px} />
}

interface Props {
  readonly tent: Tent
  readonly onClose: () => void
}

export const Versions = ({ onClose, tent }: Props) => {
  const words = useWords("tents")
  const { current_version: current, id } = tent
  const [chosen, setChosen] = useState(current)
  const [view, setView] = useState("page")
  const params = { tentId: id, n: chosen }
  const restore = useMutationOf("tents", "restore", { done: () => words.restored(chosen), onDone: onClose })
  return (
    <VersionsDialog
      listed={useQuery(queryOf("tents", "versions", { params: { tentId: id }, query: { limit: versions_max } }))}
      current={current}
      approved={words.states.published}
      chosen={chosen}
      onChoose={setChosen}
      curl={<CurlButton call={["tents", chosen === current ? "versions" : "restore", { params }]} />}
      restore={restore}
      onRestore={() => restore.mutate({ params })}
      onClose={onClose}
    >
      <Group>
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
      </Group>
      {view === "page" ? (
        <Page id={id} version={chosen} />
      ) : (
        <Compared chosen={chosen} current={current} contentOf={(version) => contentOf(id, version)} />
      )}
    </VersionsDialog>
  )
}
