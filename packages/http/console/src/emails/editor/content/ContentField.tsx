// The HTML of an email or template, as code or as blocks. Blocks read only what they wrote: going from one to the other asks
// first.
import { Button, Group, SegmentedControl, Stack, Text } from "@mantine/core"
import { lazy, Suspense, useState } from "react"
import { Confirm } from "../../../parts/Confirm.tsx"
import { useWords } from "../../../words/Words.tsx"
import type { Design } from "../../draft.ts"
import type { Kind } from "../../written.ts"
import { CodeField } from "./CodeField.tsx"
import type { OpenDraft } from "../useDraft.ts"

const Blocks = lazy(async () => ({ default: (await import("./Blocks.tsx")).Blocks }))

export type Issues = Parameters<typeof CodeField>[0]["issues"]

type View = "code" | "blocks"

interface Props {
  readonly kind: Kind
  readonly editing: Pick<OpenDraft, "draft" | "setHtml" | "setBlocks"> & {
    readonly isReadOnly: boolean
    readonly save: () => void
  }
  readonly issues: Issues
}

interface QuestionProps {
  readonly to: View
  readonly onClose: () => void
  readonly onConfirm: () => void
}

const Question = ({ onClose, onConfirm, to }: QuestionProps) => {
  const { question } = useWords("emails")
  return (
    <Confirm
      title={question[to].title}
      text={question[to].text}
      action={question[to].action}
      isDangerous={false}
      isPending={false}
      error={null}
      onClose={onClose}
      onConfirm={() => {
        onConfirm()
        onClose()
      }}
    />
  )
}

export const ContentField = ({ editing, issues, kind }: Props) => {
  const words = useWords("emails")
  const { draft, isReadOnly, save, setBlocks, setHtml } = editing
  const { design, html } = draft
  const [wanted, setWanted] = useState<View>(design === null ? "code" : "blocks")
  /** The person agreed to turn this code into blocks. Code that comes later, as of the AI, stays code. */
  const [isConverting, setConverting] = useState(false)
  const view = wanted === "blocks" && (design !== null || isConverting) ? "blocks" : "code"
  /** The design whose code the person agreed to change. */
  const [freed, setFreed] = useState<Design | null>(null)
  const [asked, setAsked] = useState<View | null>(null)
  const isKept = design !== null && design !== freed
  return (
    <Stack gap="xs">
      {kind !== "tentTemplates" && (
        <Group justify="space-between" gap="xs">
          <SegmentedControl
            size="xs"
            aria-label={words.view}
            value={view}
            data={[
              { value: "code", label: words.views.code },
              { value: "blocks", label: words.views.blocks, disabled: isReadOnly && design === null },
            ]}
            onChange={(next) => {
              if (next === "code") setWanted("code")
              else if (design === null) setAsked("blocks")
              else setWanted("blocks")
            }}
          />
          {view === "code" && isKept && !isReadOnly && (
            <Group gap="xs">
              <Text size="xs" c="dimmed">
                {words.ofBlocks}
              </Text>
              <Button size="compact-xs" variant="default" onClick={() => setAsked("code")}>
                {words.editCode}
              </Button>
            </Group>
          )}
        </Group>
      )}
      {view === "code" ? (
        <CodeField html={html} isReadOnly={isReadOnly || isKept} issues={issues} onChange={setHtml} onSave={save} />
      ) : (
        <Suspense fallback={null}>
          <Blocks
            html={html}
            design={design}
            isReadOnly={isReadOnly}
            onChange={(...written) => {
              setConverting(false)
              setBlocks(...written)
            }}
            onSave={save}
          />
        </Suspense>
      )}
      {asked !== null && (
        <Question
          to={asked}
          onClose={() => setAsked(null)}
          onConfirm={() => {
            if (asked === "code") return setFreed(design)
            setConverting(true)
            setWanted("blocks")
          }}
        />
      )}
    </Stack>
  )
}
