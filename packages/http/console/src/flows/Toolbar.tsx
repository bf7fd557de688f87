// The bar above the canvas: canvas or list, undo and redo, what is to be mended, and the search for a step.
import { ActionIcon, Button, Group, SegmentedControl, Text } from "@mantine/core"
import { lazy, Suspense, useState } from "react"
import { RedoIcon, SearchIcon, UndoIcon, WarningIcon } from "../Icons.tsx"
import { useIsPhone } from "../parts/phone.ts"
import { useKeys } from "../shell/keys.ts"
import { useWords } from "../words/Words.tsx"
import { allOf, isWarning } from "./draft/issues.ts"
import type { OpenedFlow } from "./OpenFlow.tsx"

const StepSearch = lazy(async () => ({ default: (await import("./StepSearch.tsx")).StepSearch }))

const History = ({ opened: { draft, redo, undo } }: { readonly opened: OpenedFlow }) => {
  const words = useWords("flows")
  return (
    <ActionIcon.Group>
      <ActionIcon
        variant="default"
        size="md"
        aria-label={words.undo}
        title={words.undo}
        disabled={draft.past.length === 0}
        onClick={undo}
      >
        <UndoIcon size={16} />
      </ActionIcon>
      <ActionIcon
        variant="default"
        size="md"
        aria-label={words.redo}
        title={words.redo}
        disabled={draft.future.length === 0}
        onClick={redo}
      >
        <RedoIcon size={16} />
      </ActionIcon>
    </ActionIcon.Group>
  )
}

export const Toolbar = ({ opened }: { readonly opened: OpenedFlow }) => {
  const words = useWords("flows")
  const isPhone = useIsPhone()
  const [isSearching, setSearching] = useState(false)
  const { asked, editing, go } = opened
  const { choose, flow, issues, isReadOnly, structure } = editing
  const { view: _view, ...others } = asked
  const count = allOf(issues).filter((issue) => !isWarning(issue)).length
  const search = () => setSearching(true)
  useKeys({ f: search })
  return (
    <Group justify="space-between" gap="xs" mb="xs">
      <Group gap="xs">
        {!isPhone && (
          <SegmentedControl
            size="xs"
            aria-label={words.view}
            value={asked.view ?? "canvas"}
            data={[
              { value: "canvas", label: words.canvas },
              { value: "list", label: words.list },
            ]}
            onChange={(next) => go(next === "list" ? { ...others, view: "list" } : others)}
          />
        )}
        {!isReadOnly && <History opened={opened} />}
        {count > 0 && (
          <Button
            size="compact-sm"
            variant="subtle"
            color="orange"
            leftSection={<WarningIcon size={15} />}
            onClick={() => choose(null, true)}
          >
            {words.toMend(count)}
          </Button>
        )}
        {(flow.status === "active" || flow.status === "archived") && (
          <Text size="sm" c="dimmed">
            {flow.status === "active" ? words.activeText : words.archivedText}
          </Text>
        )}
      </Group>
      {structure.steps.length > 0 && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          leftSection={<SearchIcon size={15} />}
          aria-keyshortcuts="f"
          onClick={search}
        >
          {words.findStep}
        </Button>
      )}
      <Suspense fallback={null}>{isSearching && <StepSearch onClose={() => setSearching(false)} />}</Suspense>
    </Group>
  )
}
