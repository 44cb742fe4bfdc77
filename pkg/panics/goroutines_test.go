package panics_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/logtest"
)

// Only package panics starts goroutines, because a panic in any other ends the process, and package cache, which tests its panics itself.
func TestGoroutines_OnlyOfThisPackage(t *testing.T) {
	var found []string
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		ofTests := strings.HasSuffix(path, "_test.go")
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || ofTests || strings.HasPrefix(path, "../panics/") || path == "../cache/cache.go" {
			return err
		}
		found = append(found, goroutines(t, path, nil)...)
		return nil
	})
	require.NoError(t, err)
	require.Empty(t, found)
	require.Len(t, goroutines(t, "a.go", `package a
		import ("context"; "golang.org/x/sync/errgroup"; single "resenje.org/singleflight"; "sync"; "time")
		func b() { go b(); var w sync.WaitGroup; w.Go(b); time.AfterFunc(0, b); context.AfterFunc(nil, b) }`), 6)
}

// goroutines are the places of a file that start a goroutine, or import what starts some.
func goroutines(t *testing.T, path string, source any) []string {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, source, 0)
	require.NoError(t, err)
	var found []string
	add := func(at ast.Node, what string) {
		found = append(found, fmt.Sprintf("%s: %s", files.Position(at.Pos()), what))
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			add(n, "go statement: use panics.Go")
		case *ast.ImportSpec:
			if name, _ := strconv.Unquote(n.Path.Value); strings.HasSuffix(name, "/errgroup") || strings.HasSuffix(name, "/singleflight") {
				add(n, name+": use panics.Group or cache.Coalesce")
			}
		case *ast.SelectorExpr:
			if of, ok := n.X.(*ast.Ident); ok && of.Name == "sync" && n.Sel.Name == "WaitGroup" {
				add(n, "sync.WaitGroup: use panics.Group")
			} else if ok && n.Sel.Name == "AfterFunc" && (of.Name == "time" || of.Name == "context") {
				add(n, "AfterFunc: use panics.AfterFunc or panics.WhenDone")
			}
		}
		return true
	})
	return found
}

func theDefect() { panic("canary-of-a-panic") }

// The log has the stack of the goroutine that panicked, and not the value of the panic.
func TestPanics_StackOfTheDefect(t *testing.T) {
	for name, run := range map[string]func(context.Context) error{
		"group": func(ctx context.Context) error {
			group, _ := panics.NewGroup(ctx)
			group.Go(func() error { theDefect(); return nil })
			return group.Wait()
		},
		"timer": func(context.Context) error {
			panics.AfterFunc(time.Second, theDefect)
			time.Sleep(time.Second)
			synctest.Wait()
			return panics.Err
		},
		"end of a context": func(ctx context.Context) error {
			ctx, cancel := context.WithCancel(ctx)
			panics.WhenDone(ctx, theDefect)
			cancel()
			synctest.Wait()
			return panics.Err
		},
		"goroutine": func(ctx context.Context) error {
			panics.Go(ctx, "It panicked", theDefect)
			synctest.Wait()
			return panics.Err
		},
	} {
		t.Run(name, func(t *testing.T) {
			logged := logtest.Capture(t, log.Error)
			synctest.Test(t, func(t *testing.T) {
				require.ErrorIs(t, run(t.Context()), panics.Err)
			})
			require.Contains(t, logged.String(), "panics_test.theDefect")
			require.NotContains(t, logged.String(), "canary")
		})
	}
}

// The first error cancels the others of a canceling group, a panic as any other.
func TestGroup_PanicCancelsTheOthers(t *testing.T) {
	logtest.Capture(t, log.Error)
	group, ctx := panics.NewGroup(t.Context())
	group.Go(func() error { <-ctx.Done(); return errors.New("a later one") })
	group.Go(func() error { theDefect(); return nil })
	require.ErrorIs(t, group.Wait(), panics.Err)
}
