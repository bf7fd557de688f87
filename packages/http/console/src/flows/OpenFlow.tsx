// An open flow: its draft, what is chosen, and the parts of the screen.
import "./flow.css"
import { Alert, Button, Group, Skeleton } from "@mantine/core"
import { useHotkeys } from "@mantine/hooks"
import type { Flow } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useMemo, useState } from "react"
import { queryOf } from "../api/queries.ts"
import { RefusedIcon, WarningIcon } from "../Icons.tsx"
import { useIsPhone } from "../parts/phone.ts"
import { Problem } from "../parts/Problem.tsx"
import { useSession } from "../session.tsx"
import { useKeys } from "../shell/keys.ts"
import { useWords } from "../words/Words.tsx"
import { type Chosen, type Editing, EditingProvider, LitProvider, panel_title_id } from "./draft/editing.tsx"
import { leftBehind } from "./draft/flowDraft.ts"
import { allOf, holding, type Issues, merged, noIssues, placed, withNoticed } from "./draft/issues.ts"
import { useNames } from "./draft/names.ts"
import { stepOf, type Structure } from "./draft/steps.ts"
import { type OpenDraft, type Refused, useFlowDraft, useFlowSave } from "./draft/useFlowDraft.ts"
import { IssueList } from "./editors/IssueList.tsx"
import { can } from "./flow.ts"
import { FlowHead } from "./head/FlowHead.tsx"
import { Outline } from "./Outline.tsx"
import { OverviewPanel, Panel } from "./Panel.tsx"
import { issueText } from "./parts/texts.ts"
import type { FlowSearch } from "./search.ts"
import { dark, type Lit } from "./simulation/playback.ts"
import { Toolbar } from "./Toolbar.tsx"

const Canvas = lazy(async () => ({ default: (await import("./canvas/Canvas.tsx")).Canvas }))
const LeftBehind = lazy(async () => ({ default: (await import("./head/LeftBehind.tsx")).LeftBehind }))
const PhonePanel = lazy(async () => ({ default: (await import("./PhonePanel.tsx")).PhonePanel }))
const Simulation = lazy(async () => ({ default: (await import("./simulation/Simulation.tsx")).Simulation }))

interface Props {
  readonly flow: Flow
  readonly counts: ReadonlyMap<string, number>
}

/** What the service says of the stored flow, what it refused, and what the page notices. */
const useIssues = (flow: Flow, { draft }: OpenDraft, refused: Refused) => {
  const readiness = useQuery({
    ...queryOf("flows", "readiness", { params: { flowId: flow.flow_id } }),
    enabled: flow.status !== "archived",
  })
  const { base, present } = draft
  return useMemo(() => {
    const said = readiness.data === undefined ? [] : [...readiness.data.missing, ...readiness.data.warnings]
    const both = merged(holding(placed(said, base), base, present), holding(refused.issues, refused.then, present))
    return readiness.data === undefined && allOf(both).length === 0 ? noIssues : withNoticed(both, base, present)
  }, [readiness.data, base, present, refused])
}

const chosenIn = ({ step, trigger }: FlowSearch, structure: Structure): Chosen => {
  if (step !== undefined) return stepOf(structure, step) === undefined ? null : { step }
  return trigger !== undefined && trigger < structure.triggers.length ? { trigger } : null
}

const focusPanel = () => requestAnimationFrame(() => document.getElementById(panel_title_id)?.focus())

/** Saves, after a question where members are on removed steps. */
const useSaving = ({ draft, isChanged }: OpenDraft, save: () => Promise<boolean>, counts: Props["counts"]) => {
  const [asking, setAsking] = useState<{ readonly then: () => void } | null>(null)
  const run = async (then: () => void) => {
    const isStored = await save()
    setAsking(null)
    if (isStored) then()
  }
  const behind = leftBehind(draft, counts)
  return {
    behind,
    isAsking: asking !== null,
    whenSaved: (then: () => void) => {
      if (!isChanged) return then()
      if (behind.length === 0) void run(then)
      else setAsking({ then })
    },
    confirm: () => void run(asking?.then ?? (() => undefined)),
    close: () => setAsking(null),
  }
}

const useOpenFlow = ({ counts, flow }: Props) => {
  const { may } = useSession()
  const isPhone = useIsPhone()
  const open = useFlowDraft(flow)
  const storing = useFlowSave(flow.flow_id, open)
  const saving = useSaving(open, storing.save, counts)
  const issues = useIssues(flow, open, storing.refused)
  const names = useNames(open.draft.present)
  const asked = useSearch({ from: "/flows/$flowId" })
  const navigate = useNavigate({ from: "/flows/$flowId" })
  const { step: _step, trigger: _trigger, ...others } = asked
  const go = (search: FlowSearch) => void navigate({ search, replace: true, resetScroll: false })
  const isReadOnly = !may("editor") || !can("edit", flow)
  const editing: Editing = {
    flow,
    structure: open.draft.present,
    base: open.draft.base,
    isReadOnly,
    counts,
    issues,
    names,
    chosen: chosenIn(asked, open.draft.present),
    choose: (chosen, withFocus = false) => {
      go({ ...others, ...chosen })
      // The dialog of a phone takes the focus itself, and gives it back to what had it.
      if (withFocus && !isPhone) setTimeout(focusPanel)
    },
    edit: (change, field) => {
      if (!isReadOnly) open.edit(change, field)
    },
    isChanged: open.isChanged,
    whenSaved: saving.whenSaved,
  }
  return { ...open, ...storing, saving, editing, asked, go }
}

export type OpenedFlow = ReturnType<typeof useOpenFlow>

/** A refused save. What is wrong is shown at its step or trigger. */
const Refusal = ({ error, issues }: { readonly error: unknown; readonly issues: Issues }) => {
  const words = useWords("flows")
  if (issues.steps.size === 0 && issues.triggers.size === 0) return <Problem error={error} />
  return (
    <Alert color="red" icon={<RefusedIcon />} title={words.refused} role="alert" mb="sm">
      {words.refusedText}
      <IssueList texts={issues.rest.map((issue) => issueText(words, issue))} />
    </Alert>
  )
}

/** Notices above the canvas: a refusal, and a change that was made elsewhere. */
const Notices = ({ opened }: { readonly opened: OpenedFlow }) => {
  const words = useWords("flows")
  const { discard, error, isOvertaken, refused } = opened
  return (
    <>
      {error !== null && <Refusal error={error} issues={refused.issues} />}
      {isOvertaken && (
        <Alert color="yellow" icon={<WarningIcon />} title={words.overtaken} role="alert" mb="sm">
          <Group justify="space-between" gap="sm">
            {words.overtakenText}
            <Button size="compact-sm" variant="default" onClick={discard}>
              {words.discard}
            </Button>
          </Group>
        </Alert>
      )}
    </>
  )
}

const Body = ({ onLit, opened }: { readonly opened: OpenedFlow; readonly onLit: (lit: Lit) => void }) => {
  const isPhone = useIsPhone()
  const { asked } = opened
  const isList = isPhone || asked.view === "list"
  const isSimulating = asked.simulate === true
  const side = isSimulating ? (
    <Suspense fallback={<Skeleton h={420} radius="lg" />}>
      <Simulation onLit={onLit} />
    </Suspense>
  ) : isPhone ? (
    <>
      <OverviewPanel />
      {/* Without this boundary the overview would be hidden while the dialog loads, and would lose the focus. */}
      <Suspense fallback={null}>{opened.editing.chosen !== null && <PhonePanel />}</Suspense>
    </>
  ) : (
    <Panel />
  )
  return (
    <div className="flow" data-view={isList ? "list" : "canvas"}>
      {isPhone && isSimulating && side}
      {isList ? (
        <Outline />
      ) : (
        <Suspense fallback={<Skeleton className="late" h="100%" radius="lg" />}>
          <Canvas />
        </Suspense>
      )}
      {!(isPhone && isSimulating) && side}
    </div>
  )
}

export const OpenFlow = (props: Props) => {
  const opened = useOpenFlow(props)
  const { editing, isSaving, redo, saving, undo } = opened
  const [lit, setLit] = useState<Lit>(dark)
  useKeys({
    "mod+S": () => {
      if (!isSaving && !editing.isReadOnly) editing.whenSaved(() => undefined)
    },
  })
  useHotkeys([
    ["mod+Z", undo],
    ["mod+shift+Z", redo],
    ["mod+Y", redo],
  ])
  return (
    <EditingProvider value={editing}>
      <LitProvider value={opened.asked.simulate === true ? lit : dark}>
        <FlowHead opened={opened} />
        <Notices opened={opened} />
        <Toolbar opened={opened} />
        <Body opened={opened} onLit={setLit} />
        <Suspense fallback={null}>{saving.isAsking && <LeftBehind opened={opened} />}</Suspense>
      </LitProvider>
    </EditingProvider>
  )
}
