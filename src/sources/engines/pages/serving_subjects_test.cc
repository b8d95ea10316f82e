#include "sources/engines/pages/serving_subjects.h"

#include <gmock/gmock.h>

#include "core/attributes.h"

namespace warpsight::engines {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct ServingSubjectsTest : testing::Test {
  std::vector<Attribute> shown(EntityId id) const { return attributes_of(entities, id, nullptr); }

  EntityTable entities;
  ServingSubjects subjects{entities, "127.0.0.1:8000"};
  EngineTable vllm = [] {
    EngineTable table;
    table.name = "vllm";
    table.provider = "vllm";
    return table;
  }();
};

TEST_F(ServingSubjectsTest, AModelIsBelowItsEngine) {
  const AttributeView model{"model.name", "llama"};
  const EntityId made = subjects.subject(vllm, "", {&model, 1});
  EXPECT_THAT(shown(made), ElementsAre(Attribute{"llm.engine", "vllm"},
                                       Attribute{"server.address", "127.0.0.1:8000"},
                                       Attribute{"model.name", "llama"}));
  EXPECT_EQ(entities.get(made).kind, EntityKind::model);
  EXPECT_EQ(entities.get(made).parent, subjects.engine(vllm));
  EXPECT_TRUE(subjects.owned(made));
}

TEST_F(ServingSubjectsTest, WhatTellsNoModelIsAboutTheEngine) {
  const EntityId made = subjects.subject(vllm, "", {});
  EXPECT_EQ(made, subjects.engine(vllm));
  EXPECT_FALSE(subjects.owned(made));
}

TEST_F(ServingSubjectsTest, ProviderAndOperationStayInside) {
  subjects.set_operation("chat");
  const EntityId made = subjects.engine(vllm);
  EXPECT_EQ(entities.attribute(made, ".operation"), "chat");
  EXPECT_EQ(entities.attribute(made, ".provider"), "vllm");
}

TEST_F(ServingSubjectsTest, AReExportedEngineIsAnotherOne) {
  subjects.set_version("vllm", "0.9.1");
  const EntityId direct = subjects.engine(vllm);
  const EntityId relayed = subjects.engine(vllm, "ray");
  EXPECT_EQ(entities.attribute(direct, "llm.engine.version"), "0.9.1");
  EXPECT_EQ(entities.attribute(relayed, "llm.engine.version"), "");
  EXPECT_EQ(entities.attribute(relayed, "llm.engine.via"), "ray");
}

TEST_F(ServingSubjectsTest, ANewReleaseIsAnotherEngine) {
  const EntityId before = subjects.engine(vllm);
  const uint64_t revision = subjects.revision();
  EXPECT_THAT(subjects.set_version("vllm", "0.9.1"), ElementsAre(before));
  EXPECT_NE(subjects.revision(), revision);
  const EntityId after = subjects.engine(vllm);
  EXPECT_NE(after, before);
  EXPECT_THAT(subjects.set_version("vllm", "0.9.1"), IsEmpty()) << "known already";
  EXPECT_THAT(subjects.end(), ElementsAre(after));
}

}  // namespace
}  // namespace warpsight::engines
