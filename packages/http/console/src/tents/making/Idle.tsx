// A page that only holds files: the AI makes it now, from a prompt and these files.
import { Button, Group, Paper, Stack } from "@mantine/core"
import type { Tent } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { type SyntheticEvent, useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { fieldErrors } from "../../api/problems.ts"
import { queryOf } from "../../api/queries.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useSession } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import { Files } from "../page/Files.tsx"
import { type Asked, noneAsked, payloadOf, PromptFields, useMissingValues } from "./PromptFields.tsx"
import { files_max } from "./useUploads.ts"

const Form = ({ tent }: { readonly tent: Tent }) => {
  const words = useWords("tents")
  const [asked, setAsked] = useState<Asked>(noneAsked)
  const missing = useMissingValues(asked)
  const listed = useQuery(queryOf("tentAssets", "list", { params: { tentId: tent.id } }))
  const assetIds = (listed.data?.assets ?? []).slice(0, files_max).map(({ asset_id }) => asset_id)
  const create = useMutationOf("tents", "create")
  const payload = {
    name: tent.name,
    ...payloadOf(asked, assetIds.length === 0 ? null : { tentId: tent.id, assetIds }),
    tent_id: tent.id,
  }
  const { errors, rest } = fieldErrors(create.error, ["prompt"])
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    create.mutate({ payload })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <PromptFields asked={asked} error={errors["prompt"]} isOfTemplate={false} uploads={null} onChange={setAsked} />
        {create.isError && Object.keys(errors).length === 0 && <Problem error={create.error} issues={rest} />}
        <Group justify="space-between">
          <CurlButton call={["tents", "create", { payload }]} />
          <Button type="submit" loading={create.isPending} disabled={asked.prompt.trim() === "" || missing.length > 0}>
            {words.make}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

export const Idle = ({ tent }: { readonly tent: Tent }) => {
  const { may } = useSession()
  return (
    <Stack>
      {may("editor") && (
        <Paper p="md" maw={760}>
          <Form tent={tent} />
        </Paper>
      )}
      <Files tent={tent} />
    </Stack>
  )
}
