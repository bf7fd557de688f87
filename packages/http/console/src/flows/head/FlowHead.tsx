// The head of a flow: its name, status and figures, and what can be done with it.
import { ActionIcon, Button } from "@mantine/core"
import type { Flow } from "@tentpole/client"
import { Link, useNavigate } from "@tanstack/react-router"
import { lazy, type Ref, Suspense, useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { problemOf } from "../../api/problems.ts"
import { ContactsIcon, DotsIcon, PauseIcon, PlayIcon } from "../../Icons.tsx"
import { BackLink } from "../../parts/BackLink.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { OnDemand } from "../../parts/OnDemand.tsx"
import { PageHeader } from "../../parts/PageHeader.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { useSession } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import { can, flowTones, presentIn } from "../flow.ts"
import type { OpenedFlow } from "../OpenFlow.tsx"

const Confirm = lazy(async () => ({ default: (await import("../../parts/Confirm.tsx")).Confirm }))
const FlowMenu = lazy(async () => ({ default: (await import("./FlowMenu.tsx")).FlowMenu }))
const FlowSettings = lazy(async () => ({ default: (await import("./FlowSettings.tsx")).FlowSettings }))

export type Dialog = "settings" | "activate" | "archive" | "delete" | null

interface DialogProps {
  readonly flow: Flow
  readonly open: Dialog
  readonly onClose: () => void
}

/** What an activation lacks is shown at its places. */
const isNotReady = (error: unknown): boolean => {
  const { code } = problemOf(error)
  return code === "campaign_flow_not_ready" || code === "template_api_tokens" || code === "create_email_step_order"
}

const Activate = ({ flow, onClose }: Omit<DialogProps, "open">) => {
  const words = useWords("flows")
  const activate = useMutationOf("flows", "activate", { done: () => words.activated(flow.name), onDone: onClose })
  const { error, isPending } = activate
  return (
    <Confirm
      title={words.activateTitle(flow.name)}
      text={
        <>
          {words.activateText(words.members(presentIn(flow)), presentIn(flow))}
          {isNotReady(error) && <p role="alert">{words.notReady}</p>}
        </>
      }
      action={words.activate}
      isDangerous={false}
      isPending={isPending}
      error={isNotReady(error) ? null : error}
      onClose={onClose}
      onConfirm={() => activate.mutate({ params: { flowId: flow.flow_id } })}
    />
  )
}

const Dialogs = ({ flow, onClose, open }: DialogProps) => {
  const words = useWords("flows")
  const navigate = useNavigate()
  const params = { flowId: flow.flow_id }
  const archive = useMutationOf("flows", "archive", { done: () => words.archived(flow.name), onDone: onClose })
  const remove = useMutationOf("flows", "remove", {
    done: () => words.deleted(flow.name),
    onDone: () => navigate({ to: "/flows" }),
  })
  switch (open) {
    case "settings":
      return <FlowSettings flow={flow} onClose={onClose} />
    case "activate":
      return <Activate flow={flow} onClose={onClose} />
    case "archive":
      return (
        <Confirm
          title={words.archiveTitle(flow.name)}
          text={words.archiveText(words.members(presentIn(flow)), presentIn(flow))}
          action={words.archiveAction}
          {...(presentIn(flow) > 0 ? { typed: flow.name } : {})}
          isPending={archive.isPending}
          error={archive.error}
          onClose={onClose}
          onConfirm={() => archive.mutate({ params })}
        />
      )
    case "delete":
      return (
        <Confirm
          title={words.deleteTitle(flow.name)}
          text={words.deleteText}
          action={words.deleteAction}
          typed={flow.name}
          isPending={remove.isPending}
          error={remove.error}
          onClose={onClose}
          onConfirm={() => remove.mutate({ params })}
        />
      )
    case null:
      return null
  }
}

interface TargetProps {
  readonly onClick: () => void
  readonly ref?: Ref<HTMLButtonElement>
}

export const MoreTarget = (props: TargetProps) => {
  const shell = useWords("shell")
  return (
    <ActionIcon {...props} variant="default" size="lg" aria-label={shell.more} aria-haspopup="menu">
      <DotsIcon />
    </ActionIcon>
  )
}

/** Activate, pause and save. */
const MainActions = ({ onOpen, opened }: { readonly opened: OpenedFlow; readonly onOpen: (open: Dialog) => void }) => {
  const words = useWords("flows")
  const shell = useWords("shell")
  const { may } = useSession()
  const { editing, isChanged, isSaving } = opened
  const { flow, isReadOnly, whenSaved } = editing
  const params = { flowId: flow.flow_id }
  const pause = useMutationOf("flows", "pause", { done: () => words.paused(flow.name) })
  return (
    <>
      {!isReadOnly && (
        <Button
          variant={isChanged ? "filled" : "default"}
          disabled={!isChanged}
          loading={isSaving}
          aria-keyshortcuts="Control+S"
          onClick={() => whenSaved(() => undefined)}
        >
          {shell.save}
        </Button>
      )}
      {may("sender") && can("activate", flow) && (
        <Button
          variant={isChanged ? "default" : "filled"}
          leftSection={<PlayIcon size={16} />}
          onClick={() => whenSaved(() => onOpen("activate"))}
        >
          {words.activateStart}
        </Button>
      )}
      {may("sender") && can("pause", flow) && (
        <Button
          variant="default"
          leftSection={<PauseIcon size={16} />}
          loading={pause.isPending}
          onClick={() => pause.mutate({ params })}
        >
          {words.pause}
        </Button>
      )}
      {pause.isError && <Problem error={pause.error} />}
    </>
  )
}

export const FlowHead = ({ opened }: { readonly opened: OpenedFlow }) => {
  const words = useWords("flows")
  const [open, setOpen] = useState<Dialog>(null)
  const { asked, editing, go, isChanged } = opened
  const { flow } = editing
  const params = { flowId: flow.flow_id }
  const isSimulating = asked.simulate === true
  const { simulate: _simulate, ...others } = asked
  return (
    <>
      <PageHeader
        above={<BackLink to="/flows" label={words.title} />}
        title={flow.name}
        beside={<StatusBadge tone={flowTones[flow.status]} label={words.states[flow.status]} />}
        text={
          <>
            {words.figures(
              words.number(flow.details.total_entered),
              words.number(presentIn(flow)),
              words.number(flow.details.completed_count),
            )}
            {isChanged && ` · ${words.unsaved}`}
          </>
        }
        actions={
          <>
            <CurlButton call={["flows", "find", { params }]} />
            <Button
              variant={isSimulating ? "light" : "default"}
              aria-pressed={isSimulating}
              leftSection={<PlayIcon size={16} />}
              onClick={() => go(isSimulating ? others : { ...others, simulate: true })}
            >
              {words.simulate}
            </Button>
            <Button
              component={Link}
              to="/flows/$flowId/members"
              params={params as never}
              variant="default"
              leftSection={<ContactsIcon size={16} />}
            >
              {words.membersTitle}
            </Button>
            <MainActions opened={opened} onOpen={setOpen} />
            <OnDemand button={(onClick) => <MoreTarget onClick={onClick} />}>
              <FlowMenu flow={flow} onOpen={setOpen} />
            </OnDemand>
          </>
        }
      />
      <Suspense fallback={null}>
        <Dialogs flow={flow} open={open} onClose={() => setOpen(null)} />
      </Suspense>
    </>
  )
}
