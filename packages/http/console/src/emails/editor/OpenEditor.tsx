// The editor of an email or template: fields and code, the preview beside them, and the actions above.
import { Button, Grid, SegmentedControl, Stack, Text } from "@mantine/core"
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from "react"
import { fieldErrors } from "../../api/problems.ts"
import { PageHeader } from "../../parts/PageHeader.tsx"
import { useIsPhone } from "../../parts/phone.ts"
import { Problem } from "../../parts/Problem.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { Time } from "../../parts/Time.tsx"
import { useSession } from "../../session.tsx"
import { useKeys } from "../../shell/keys.ts"
import { useWords } from "../../words/Words.tsx"
import { fieldAt, fieldsOf, type Kind, stateTones, type Written } from "../written.ts"
import { useMessage } from "./calls.ts"
import type { Content } from "../draft.ts"
import { ContentField, type Issues } from "./content/ContentField.tsx"
import { EditorActions } from "./EditorActions.tsx"
import { HeaderFields } from "./HeaderFields.tsx"
import { MessagePreview } from "./MessagePreview.tsx"
import { useDraft, useSave } from "./useDraft.ts"
import { Writing } from "./Writing.tsx"

const Approve = lazy(async () => ({ default: (await import("./Approve.tsx")).Approve }))
const SendTest = lazy(async () => ({ default: (await import("./SendTest.tsx")).SendTest }))
const Versions = lazy(async () => ({ default: (await import("./Versions.tsx")).Versions }))
const AskAi = lazy(async () => ({ default: (await import("./AskAi.tsx")).AskAi }))

export type Dialog = "approve" | "test" | "versions" | "ai" | null

interface Props {
  readonly kind: Kind
  readonly written: Written
  readonly content: Pick<Content, "html" | "design">
  readonly back: ReactNode
}

const noIssues: ReadonlyArray<never> = []

/** The draft, the ways to store it, and the open dialog. */
const useEditing = ({ content: { design, html }, kind, written }: Props) => {
  const { may } = useSession()
  const stored = useMemo(() => ({ html, design, fields: written.fields }), [html, design, written.fields])
  const open = useDraft(kind, written.id, stored)
  const saving = useSave(kind, written.id, open)
  const [dialog, setDialog] = useState<Dialog>(null)
  const isReadOnly = !may("editor")
  const save = () => {
    if (open.isChanged && !saving.isSaving && !isReadOnly) void saving.save()
  }
  /** Dialogs speak of the stored version. */
  const show = async (next: Dialog) => {
    if (!open.isChanged || isReadOnly || (await saving.save())) setDialog(next)
  }
  // What the AI wrote is shown beside the version before it.
  const wasGenerating = useRef(written.isGenerating)
  useEffect(() => {
    if (wasGenerating.current && !written.isGenerating && written.generatedBy !== null) setDialog("versions")
    wasGenerating.current = written.isGenerating
  }, [written.isGenerating, written.generatedBy])
  useKeys({ "mod+S": save })
  const { errors, rest } = fieldErrors(saving.error, fieldsOf[kind], fieldAt)
  return { ...open, ...saving, errors, rest, isReadOnly, save, dialog, show, close: () => setDialog(null) }
}

export type Editing = ReturnType<typeof useEditing>

const Head = ({ back, editing, kind, written }: Props & { readonly editing: Editing }) => {
  const words = useWords("emails")
  const { isChanged, isReadOnly, isSaving, save, show } = editing
  return (
    <PageHeader
      above={back}
      title={written.fields.name}
      beside={<StatusBadge tone={stateTones[written.state]} label={words.states[written.state]} />}
      text={
        <>
          {words.versionShort(written.version)}
          {written.approvedVersion !== null && ` · ${words.approvedVersion(written.approvedVersion)}`} ·{" "}
          {isChanged ? (
            words.unsaved
          ) : (
            <>
              {words.savedAt} <Time at={written.updatedAt} as="relative" />
            </>
          )}
        </>
      }
      actions={
        <>
          <EditorActions kind={kind} written={written} isChanged={isChanged} onShow={(next) => void show(next)} />
          {!isReadOnly && (
            <Button
              variant={isChanged ? "filled" : "default"}
              disabled={!isChanged}
              loading={isSaving}
              onClick={save}
              aria-keyshortcuts="Control+S"
            >
              {words.save}
            </Button>
          )}
        </>
      }
    />
  )
}

const Writer = ({
  editing,
  issues,
  kind,
}: {
  readonly kind: Kind
  readonly editing: Editing
  readonly issues: Issues
}) => {
  const words = useWords("emails")
  const { draft, errors, isChanged, isReadOnly, reset, setField } = editing
  return (
    <Stack gap="sm">
      <HeaderFields kind={kind} fields={draft.fields} errors={errors} isReadOnly={isReadOnly} onChange={setField} />
      <ContentField kind={kind} editing={editing} issues={issues} />
      {isChanged && (
        <Text size="sm" c="dimmed">
          {words.unsavedText}{" "}
          <Button size="compact-xs" variant="subtle" color="gray" onClick={reset}>
            {words.discard}
          </Button>
        </Text>
      )}
    </Stack>
  )
}

const Dialogs = ({
  editing: { close, dialog },
  kind,
  written,
}: Pick<Props, "kind" | "written"> & { readonly editing: Editing }) => (
  <Suspense fallback={null}>
    {dialog === "approve" && <Approve kind={kind} written={written} onClose={close} />}
    {dialog === "test" && <SendTest written={written} onClose={close} />}
    {dialog === "versions" && <Versions kind={kind} written={written} onClose={close} />}
    {dialog === "ai" && <AskAi kind={kind} written={written} onClose={close} />}
  </Suspense>
)

export const OpenEditor = (props: Props) => {
  const { kind, written } = props
  const words = useWords("emails")
  const isPhone = useIsPhone()
  const editing = useEditing(props)
  const { draft, error, errors, rest } = editing
  const [contactId, setContactId] = useState<string | null>(null)
  const message = useMessage(kind, written.id, draft, contactId)
  const [tab, setTab] = useState("write")
  return (
    <>
      <Head {...props} editing={editing} />
      {written.isGenerating && <Writing kind={kind} id={written.id} />}
      {error !== null && Object.keys(errors).length === 0 && <Problem error={error} issues={rest} />}
      {isPhone && (
        <SegmentedControl
          fullWidth
          mb="sm"
          aria-label={words.tab}
          value={tab}
          data={[
            { value: "write", label: words.tabs.write },
            { value: "preview", label: words.tabs.preview },
          ]}
          onChange={setTab}
        />
      )}
      <Grid gap="md">
        {(!isPhone || tab === "write") && (
          <Grid.Col span={{ base: 12, md: 6 }}>
            <Writer kind={kind} editing={editing} issues={message.data?.issues ?? noIssues} />
          </Grid.Col>
        )}
        {(!isPhone || tab === "preview") && (
          <Grid.Col span={{ base: 12, md: 6 }}>
            <MessagePreview
              kind={kind}
              draft={draft}
              message={message}
              contactId={contactId}
              onContact={setContactId}
            />
          </Grid.Col>
        )}
      </Grid>
      <Dialogs kind={kind} written={written} editing={editing} />
    </>
  )
}
