// Archived fields that the rules of a list name: their conditions match no contact until the field is restored.
import { Alert, Button, Group, Stack, Text } from "@mantine/core"
import type { ContactList } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useMutationOf } from "../api/mutations.ts"
import { queryOf } from "../api/queries.ts"
import { WarningIcon } from "../Icons.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useSession } from "../session.tsx"
import { useWords } from "../words/Words.tsx"

export const ArchivedFields = ({ list }: { readonly list: ContactList }) => {
  const words = useWords("segments")
  const { may } = useSession()
  const { rule_issues } = list
  const archived = useQuery({
    ...queryOf("contactFields", "list", { query: { status: "archived" } }),
    enabled: rule_issues.length > 0,
  })
  const restore = useMutationOf("contactFields", "edit", { done: () => words.restored })
  if (rule_issues.length === 0) return null
  return (
    <Alert color="yellow" icon={<WarningIcon />}>
      <Stack gap="xs">
        {rule_issues.map(({ api_name, label }) => {
          const field = archived.data?.items.find((each) => each.api_name === api_name)
          return (
            <Group key={api_name} gap="sm">
              <Text size="sm">{words.archived(label)}</Text>
              {field !== undefined && may("editor") && (
                <Button
                  size="compact-sm"
                  variant="default"
                  loading={restore.isPending}
                  onClick={() =>
                    restore.mutate({
                      params: { fieldDefinitionId: field.field_definition_id },
                      payload: { status: "active" },
                    })
                  }
                >
                  {words.restore}
                </Button>
              )}
            </Group>
          )
        })}
        {restore.isError && <Problem error={restore.error} />}
      </Stack>
    </Alert>
  )
}
