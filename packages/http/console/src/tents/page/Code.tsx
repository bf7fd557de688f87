// The HTML of a page in the code editor. A save makes a new version. Unsaved text stays in the tab.
import { Button, Group, Skeleton, Stack, Text } from "@mantine/core"
import type { Tent } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { storeDraft } from "../../api/drafts.ts"
import { useMutationOf } from "../../api/mutations.ts"
import { CodeEditor } from "../../parts/code/CodeEditor.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useSession } from "../../session.tsx"
import { useKeys } from "../../shell/keys.ts"
import { useWords } from "../../words/Words.tsx"
import { contentOf } from "./PagePreview.tsx"

const height_px = 560

interface EditorProps {
  readonly tent: Tent
  readonly html: string
}

const Editor = ({ html, tent }: EditorProps) => {
  const words = useWords("tents")
  const shell = useWords("shell")
  const { may } = useSession()
  const key = `tentpole-draft:tent:${tent.id}`
  const [typed, setTyped] = useState<string | null>(() => sessionStorage.getItem(key))
  const text = typed ?? html
  const isChanged = typed !== null && typed !== html
  useEffect(() => storeDraft(key, isChanged ? typed : null), [key, isChanged, typed])
  const params = { tentId: tent.id }
  const save = useMutationOf("tents", "setContent", {
    done: ({ current_version }) => words.savedAs(current_version),
    onDone: () => setTyped(null),
  })
  const request = { params, payload: { html: text } }
  const isReadOnly = !may("editor")
  const run = () => {
    if (isChanged && !save.isPending && !isReadOnly) save.mutate(request)
  }
  useKeys({ "mod+S": run })
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {words.codeText}
      </Text>
      <CodeEditor
        label={words.html}
        language="html"
        value={text}
        isReadOnly={isReadOnly}
        height_px={height_px}
        onChange={setTyped}
        onSave={run}
      />
      {save.isError && <Problem error={save.error} />}
      <Group justify="space-between">
        <CurlButton call={["tents", "setContent", request]} />
        {!isReadOnly && (
          <Group gap="xs">
            {isChanged && (
              <Button variant="subtle" color="gray" onClick={() => setTyped(null)}>
                {words.discard}
              </Button>
            )}
            <Button disabled={!isChanged} loading={save.isPending} aria-keyshortcuts="Control+S" onClick={run}>
              {shell.save}
            </Button>
          </Group>
        )}
      </Group>
    </Stack>
  )
}

export const Code = ({ tent }: { readonly tent: Tent }) => {
  const found = useQuery(contentOf(tent.id, tent.current_version))
  if (found.isPending) return <Skeleton className="late" h={height_px} radius="lg" />
  if (found.isError) return <Problem error={found.error} onRetry={found.refetch} />
  return <Editor tent={tent} html={found.data} />
}
